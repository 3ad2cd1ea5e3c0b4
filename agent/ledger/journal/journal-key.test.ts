/** A copy of the journal key and the keys beside the ledger: whichever is older, the newest key seals (D208). */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { JournalKeyError, withKeyCopy } from './journal-key.ts';

const [A, B, C] = ['a', 'b', 'c'].map((letter) => letter.repeat(42) + 'A') as [string, string, string];

test.each([
  ['no key is there', [], [B, A], [B, A]],
  ['the copy is older', [B, A], [A], [B, A]],
  ['the copy is newer', [A], [B, A], [B, A]],
  ['the copy is newer, and lacks an early key', [B, A], [C, B], [C, B, A]],
  ['the copy is of other keys', [C], [B, A], [C, B, A]],
])('%s: the newest known key is the first', (_, there, named, both) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'journal-key-'));
  try {
    const [file, copy] = [path.join(folder, 'journal.key'), path.join(folder, 'copy.key')];
    if (there.length > 0) writeFileSync(file, `${there.join('\n')}\n`);
    writeFileSync(copy, `${named.join('\n')}\n`);
    const { keys, putDown } = withKeyCopy(file, copy);
    expect(keys).toHaveLength(both.length);
    putDown();
    expect(readFileSync(file, 'utf8')).toBe(`${both.join('\n')}\n`);
    expect(withKeyCopy(file, copy).keys.map(({ id }) => id)).toEqual(keys.map(({ id }) => id));
    rmSync(copy);
    expect(() => withKeyCopy(file, copy)).toThrow(JournalKeyError);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
