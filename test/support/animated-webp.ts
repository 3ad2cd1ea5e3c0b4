/** An animated WebP of still ones, each whole: the container's form is in RFC 9649. */

export interface Frame {
  /** A still WebP, as a canvas makes it. */
  image: Uint8Array;
  /** How long it is in view, in ms. */
  ms: number;
}

const ANIMATION = 0x02;
/** No frame is mixed with the one before it. */
const REPLACES = 0x02;

const text = (letters: string): Buffer => Buffer.from(letters, 'latin1');
/** A number of 24 bits, the lowest first. */
function short(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}
function chunk(name: string, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([text(name), size, body, Buffer.alloc(body.length % 2)]);
}

/** @param frames all of this size in pixels; shown over and over */
export function animatedWebp(frames: readonly Frame[], width: number, height: number): Buffer {
  const size = [short(width - 1), short(height - 1)];
  return chunk(
    'RIFF',
    text('WEBP'),
    chunk('VP8X', Uint8Array.of(ANIMATION, 0, 0, 0), ...size),
    chunk('ANIM', Buffer.alloc(6)),
    ...frames.map(({ image, ms }) =>
      chunk('ANMF', short(0), short(0), ...size, short(ms), Uint8Array.of(REPLACES), pictureOf(image)),
    ),
  );
}

/** The chunks of a still WebP that hold its picture. */
function pictureOf(image: Uint8Array): Buffer {
  const file = Buffer.from(image);
  if (file.toString('latin1', 8, 12) !== 'WEBP') throw new Error('a frame is no WebP');
  const parts: Buffer[] = [];
  for (let at = 12; at < file.length;) {
    const length = file.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (['ALPH', 'VP8 ', 'VP8L'].includes(file.toString('latin1', at, at + 4))) parts.push(file.subarray(at, end));
    at = end;
  }
  if (parts.length === 0) throw new Error('a frame holds no picture');
  return Buffer.concat(parts);
}
