/** The pages preload exactly the files that the style sheet loads: any other file would load twice, or too late. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isFirst } from './fonts/first-letters.ts';

const project = path.join(import.meta.dirname, '../../..');
const filesIn = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(path.join(project, file), 'utf8').matchAll(pattern)].map(([, name]) => name ?? '').toSorted();

const wanted = filesIn('shared/ui/theme/fonts.css', /url\('\.\/(fonts\/[^']+)'\)/g);

test.each(['renderer/index.html', 'cloud/console/index.html'])('%s preloads the fonts of the first text', (page) => {
  expect(wanted).toHaveLength(2);
  expect(filesIn(page, /href="[./]+shared\/ui\/theme\/([^"]+\.woff2)"/g)).toEqual(wanted);
});

test('the words of both consoles need no other font, and a rare syllable does', () => {
  const files = globSync('{renderer,cloud/console,shared/ui}/i18n/ko*.ts', { cwd: project });
  expect(files.length).toBeGreaterThan(10);
  const words = files.map((file) => readFileSync(path.join(project, file), 'utf8')).join('');
  expect([...words].filter((character) => !isFirst(character))).toEqual([]);
  expect([isFirst('힣'), isFirst('똠'), isFirst('가'), isFirst('A')]).toEqual([false, false, true, true]);
});
