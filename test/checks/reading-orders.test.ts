/**
 * The two ways through the code in the README's pictures can be followed: the first lines of each file name the files
 * before and after it.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const README = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
const headOf = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8').split('*/')[0] ?? '';

test.each([
  ['From load to customer', 10],
  ['A request for facts', 8],
])('%s: %i files, each of which names the next one and the one before', (heading, most) => {
  const section = README.split(`### ${heading}\n`)[1]?.split(/^##/m)[0] ?? '';
  const files = Array.from(section.matchAll(/^\d+\. `([\w./-]+)`/gm), ([, file = '']) => file);
  expect(files).toHaveLength(most);
  for (const [index, file] of files.entries()) {
    const [before, after] = [files[index - 1], files[index + 1]];
    const named = [before, after].filter((one) => one !== undefined);
    expect([file, named.filter((one) => !headOf(file).includes(`\`${one}\``))]).toEqual([file, []]);
  }
});
