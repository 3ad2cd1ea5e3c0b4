import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isFirst } from './first-letters.ts';
import { PROJECT } from './inputs.ts';

test('the words of both consoles need no other font, and a rare syllable does', () => {
  const files = globSync('{renderer,cloud/console,shared/ui}/i18n/ko*.ts', { cwd: PROJECT });
  expect(files.length).toBeGreaterThan(10);
  const words = files.map((file) => readFileSync(path.join(PROJECT, file), 'utf8')).join('');
  expect([...words].filter((character) => !isFirst(character))).toEqual([]);
  expect([isFirst('힣'), isFirst('똠'), isFirst('가'), isFirst('A')]).toEqual([false, false, true, true]);
});
