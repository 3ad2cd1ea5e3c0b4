/**
 * The program's icon, drawn at packaging: a causeway of three arches over water. Coordinates are on a square of side 1,
 * y downwards; edges are smoothed by sampling.
 */
import { crc32, deflateSync } from 'node:zlib';

type Colour = readonly [number, number, number];

const GROUND: Colour = [31, 78, 140];
const BRIDGE: Colour = [255, 255, 255];
const WATER: Colour = [127, 184, 224];
const CORNER = 0.2;
const SAMPLES = 4;

/** The colour at a place, or null outside the icon. */
function colourAt(x: number, y: number): Colour | null {
  const dx = Math.max(CORNER - x, x - (1 - CORNER), 0);
  const dy = Math.max(CORNER - y, y - (1 - CORNER), 0);
  if (dx * dx + dy * dy > CORNER * CORNER) return null;
  if (y >= 0.74 && y < 0.8 && x > 0.12 && x < 0.88) return WATER;
  if (y < 0.36 || y >= 0.7 || x < 0.12 || x > 0.88) return GROUND;
  if (y < 0.46) return BRIDGE;
  // Three openings, round at the top, between four piers.
  const isOpen = [0.26, 0.5, 0.74].some(
    (centre) => Math.abs(x - centre) < 0.09 && (y > 0.6 || Math.hypot(x - centre, y - 0.6) < 0.09),
  );
  return isOpen ? GROUND : BRIDGE;
}

/** The icon as a PNG of `size` by `size` pixels. */
export function iconPng(size: number): Buffer {
  const rows = Buffer.alloc(size * (1 + size * 4));
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const sums = [0, 0, 0, 0];
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
        const x = (column + ((sample % SAMPLES) + 0.5) / SAMPLES) / size;
        const y = (row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES) / size;
        const colour = colourAt(x, y);
        if (colour !== null) [...colour, 255].forEach((part, index) => (sums[index] = (sums[index] ?? 0) + part));
      }
      const covered = (sums[3] ?? 0) / 255;
      const at = row * (1 + size * 4) + 1 + column * 4;
      for (let part = 0; part < 3; part += 1)
        rows[at + part] = covered === 0 ? 0 : Math.round((sums[part] ?? 0) / covered);
      rows[at + 3] = Math.round((sums[3] ?? 0) / (SAMPLES * SAMPLES));
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // Eight bits each for red, green, blue and opacity.
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
