/**
 * `npm run mutate [-- FOLDER] [--file PATTERN] [--sample N] [--seed N]`: small changes to the code of a folder, and which
 * of them its tests do not notice. Without a folder those of `folders.ts`. Exit code 1 below a folder's target.
 */
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { DEEP_FILES } from '../deep.ts';
import { FOLDERS } from './folders.ts';
import { mutate, type Mutant } from './mutants.ts';
import type { PlannedMutant } from './plan.ts';
import { sampleOf } from './sample.ts';
import { tryMutants, type Tried } from './session.ts';
import { isEnough, scoreTable, survivorLines, type Result } from './table.ts';

const root = path.resolve(import.meta.dirname, '../..');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string' },
    slowest: { type: 'string', default: '1000' },
  },
});
const say = (line: string): void => console.log(line);
const wholeNumber = (name: string, text: string): number => {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 0) throw new Error(`--${name} is not a whole number: ${text}`);
  return number;
};

const sources = (folder: string): string[] =>
  globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !/\.(test|d)\.ts$/.test(file))
    .filter((file) => values.file === undefined || new RegExp(values.file).test(file))
    .toSorted();

/** Those in the folder first: they are the nearest. */
function testsOf(folder: string): string[] {
  const places = [folder, ...(FOLDERS[folder]?.tests ?? [])];
  const files = places.flatMap((place) => {
    if (place.endsWith('.ts')) return statSync(path.join(root, place)).isFile() ? [place] : [];
    return globSync(`${place}/**/*.test.ts`, { cwd: root }).toSorted();
  });
  return [...new Set(files)].filter((file) => !DEEP_FILES[file]?.whole);
}

async function runFolder(folder: string): Promise<Result> {
  const files = sources(folder);
  if (files.length === 0) throw new Error(`${folder} has no file to change.`);
  const found: { file: string; mutant: Mutant; planned: PlannedMutant }[] = [];
  for (const file of files) {
    const first = found.length;
    for (const mutant of mutate(file, readFileSync(path.join(root, file), 'utf8')).mutants)
      found.push({ file, mutant, planned: { number: first + mutant.id, file, id: mutant.id, atLoad: mutant.atLoad } });
  }
  const sample = values.sample === undefined ? FOLDERS[folder]?.sample : wholeNumber('sample', values.sample);
  const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : wholeNumber('seed', values.seed);
  const chosen = sample === undefined ? found : sampleOf(found, sample, seed);
  say(`\n== ${folder}: ${chosen.length} of ${found.length} mutants${sample === undefined ? '' : ` (--seed ${seed})`}`);
  const begun = performance.now();
  const tried = await tryMutants({
    root,
    mutants: chosen.map(({ planned }) => planned),
    tests: testsOf(folder),
    slowest: wholeNumber('slowest', values.slowest),
    say,
  });
  const of = (number: number): Tried => tried.get(number) ?? { killedBy: null, ran: 0 };
  return {
    folder,
    seconds: Math.round((performance.now() - begun) / 1000),
    ...(sample === undefined ? {} : { sample: { of: found.length, seed } }),
    target: FOLDERS[folder]?.target ?? 0,
    mutants: chosen.map(({ file, mutant, planned }) => ({ file, ...mutant, ...of(planned.number) })),
  };
}

const folders = positionals.length > 0 ? positionals.map((one) => one.replace(/\/$/, '')) : Object.keys(FOLDERS);
const results: Result[] = [];
const out = path.join(root, 'artifacts/mutate');
mkdirSync(out, { recursive: true });
for (const folder of folders) {
  const result = await runFolder(folder);
  results.push(result);
  writeFileSync(path.join(out, `${folder.replaceAll('/', '-')}.json`), `${JSON.stringify(result, null, 1)}\n`);
  for (const line of survivorLines(result)) say(line);
}
say(`\n${scoreTable(results)}`);
process.exitCode = results.every(isEnough) ? 0 : 1;
