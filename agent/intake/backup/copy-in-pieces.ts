/** Copies a file of many gigabytes in pieces, so that the copy is told and can be stopped between two of them. */
import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const PIECE_BYTES = 16 * 1024 ** 2;

/**
 * @param to a new file, for its owner alone
 * @param told gets the bytes so far, and may end the copy by an error
 * @throws the system's error
 */
export function copyInPieces(from: string, to: string, told: (bytes: number) => void): void {
  const source = openSync(from, 'r');
  try {
    const target = openSync(to, 'wx', 0o600);
    try {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (let at = 0; ;) {
        const read = readSync(source, piece, 0, PIECE_BYTES, at);
        if (read === 0) return;
        for (let written = 0; written < read;) written += writeSync(target, piece, written, read - written);
        at += read;
        told(at);
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}
