/** The lines of a body of loads: blank ones and remarks hold none, also behind a byte order mark. */

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const REMARK = 0x23;
const BLANKS = new Set([0x20, 0x09, 0x0d]);

export function holdsLoad(line: Uint8Array): boolean {
  const text = MARK.equals(line.subarray(0, MARK.length)) ? line.subarray(MARK.length) : line;
  return text[0] !== REMARK && text.some((byte) => !BLANKS.has(byte));
}
