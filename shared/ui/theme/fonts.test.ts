/** The pages preload exactly the files that the style sheet loads: any other file would load twice, or too late. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const project = path.join(import.meta.dirname, '../../..');
const filesIn = (file: string, pattern: RegExp): string[] =>
  [...readFileSync(path.join(project, file), 'utf8').matchAll(pattern)].map(([, name]) => name ?? '').toSorted();

const wanted = filesIn('shared/ui/theme/fonts.css', /url\('\.\/(fonts\/[^']+)'\)/g);

test.each(['renderer/index.html', 'cloud/console/index.html'])('%s preloads the fonts of the first text', (page) => {
  expect(wanted).toHaveLength(2);
  expect(filesIn(page, /href="[./]+shared\/ui\/theme\/([^"]+\.woff2)"/g)).toEqual(wanted);
});
