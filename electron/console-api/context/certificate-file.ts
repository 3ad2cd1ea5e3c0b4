/** PEM files of certificates that this console reads: a file that is not whole is refused by name. */
import { readFileSync } from 'node:fs';
import { certificateBlocks, PemError } from '../../../shared/service/tls/pem.ts';

/**
 * The certificates of a file, each as its block.
 *
 * @throws Error whose message is a sentence without its full stop
 */
export function certificatesInFile(name: string, file: string): string[] {
  let blocks: string[];
  try {
    blocks = certificateBlocks(readFileSync(file, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const said =
      error instanceof PemError ? `${name} (${file}) ${why}` : `${name} names ${file}, which cannot be read: ${why}`;
    throw new Error(said, { cause: error });
  }
  if (blocks.length === 0) throw new Error(`${name} (${file}) holds no certificate in PEM form`);
  return blocks;
}
