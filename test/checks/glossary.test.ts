/** The glossary's names against the code, the wire and the texts of the screens. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { PROJECT } from '../support/process.ts';
import { codeFiles, isTestCode } from './sources.ts';

const GLOSSARY = readFileSync(path.join(PROJECT, 'shared/contract/glossary.md'), 'utf8');
const TEXTS = /i18n\/(?:ko|en)[\w-]*\.ts$|\/audit-words\.ts$|\/(?:setup-)?texts\.ts$/;

const read = (files: readonly string[]): string =>
  files.map((file) => readFileSync(path.join(PROJECT, file), 'utf8')).join('\n');
const files = codeFiles(PROJECT).filter((file) => !isTestCode(file));
const code = read(files.filter((file) => !file.includes('i18n/')));
/** What people read: the texts in quotes, without comments and without the keys before a colon. */
const texts = [
  ...read(files.filter((file) => TEXTS.test(file)))
    .replaceAll(/^ *(?:\/?\*|\/\/).*$/gm, '')
    .matchAll(/(['"`])((?:\\.|(?!\1).)*)\1(:?)/gsu),
]
  .flatMap(([, , text, colon]) => (colon === '' ? [text] : []))
  .join('\n');

const escaped = (name: string): string => name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Whether a name stands in the code by itself or as a part of a longer one: `draft` in `draftOf`, `saveDraft`, `draft_id`. */
function isNamed(name: string): boolean {
  const [plain, inside] = [escaped(name), escaped(capital(name))];
  return new RegExp(
    `(?<![a-zA-Z])${plain}s?(?![a-z])|(?<=[a-z0-9])${inside}s?(?![a-z])|(?<![A-Za-z])${inside}s?(?![a-z])`,
  ).test(code);
}

/** The particles and endings that follow a Korean word without a space. */
const PARTICLES =
  '(?:[은는이가을를의에와과도만로]|으로|에서|에게|까지|부터|보다|하[여고]|합니다|했습니다|한|할|된|됩니다|되었습니다|입니다|인)?';

/** Whether a word is read on a screen as a word of its own, and not inside another one. */
function isRead(word: string): boolean {
  const isKorean = /[가-힣]/u.test(word);
  const found = isKorean
    ? `(?<![가-힣])${escaped(word)}${PARTICLES}(?![가-힣])`
    : `(?<![a-z])${escaped(word)}s?(?![a-z])`;
  return new RegExp(found, 'iu').test(texts);
}

/** Columns: term, Korean, meaning, code, wire, screen. */
const rows = GLOSSARY.split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 8 && cells[1] !== 'Term' && !/^-+$/.test(cells[1] ?? ''));

test('each name that the glossary gives for code and wire is in the code', () => {
  expect(rows.length).toBeGreaterThan(60);
  const names = rows.flatMap((cells) =>
    [...`${cells[4]} ${cells[5]}`.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  expect(names.filter((name) => !isNamed(name))).toEqual([]);
});

test('each word that the glossary gives for the screen is on a screen', () => {
  const words = rows.flatMap((cells) => (cells[6] ?? '').split(/[,/]/)).map((word) => word.trim());
  expect(words.filter((word) => !isRead(word))).toEqual([]);
});

test('no identifier has a name that the glossary replaces', () => {
  const replaced = GLOSSARY.split('## 8. Names that are replaced')[1] ?? '';
  const names = [...replaced.matchAll(/^\|([^|]*)\|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    .filter((name) => name !== 'text');
  expect(names).toContain('shownText');
  expect(names.filter((name) => new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});
