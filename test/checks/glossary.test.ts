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
const texts = read(files.filter((file) => TEXTS.test(file))).toLowerCase();

/** Columns: term, Korean, meaning, code, wire, screen. */
const rows = GLOSSARY.split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter((cells) => cells.length === 8 && cells[1] !== 'Term' && !/^-+$/.test(cells[1] ?? ''));

test('each name that the glossary gives for code and wire is in the code', () => {
  expect(rows.length).toBeGreaterThan(60);
  const names = rows.flatMap((cells) =>
    [...`${cells[4]} ${cells[5]}`.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  );
  expect(names.filter((name) => !code.includes(name))).toEqual([]);
});

test('each word that the glossary gives for the screen is on a screen', () => {
  const words = rows.flatMap((cells) => (cells[6] ?? '').split(/[,/]/)).map((word) => word.trim().toLowerCase());
  expect(words.filter((word) => !texts.includes(word))).toEqual([]);
});

test('no identifier has a name that the glossary replaces', () => {
  const replaced = GLOSSARY.split('## 8. Names that are replaced')[1] ?? '';
  const names = [...replaced.matchAll(/^\|([^|]*)\|/gm)]
    .flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name))
    .filter((name) => name !== 'text');
  expect(names).toContain('shownText');
  expect(names.filter((name) => new RegExp(`\\b${name}\\b`).test(code))).toEqual([]);
});
