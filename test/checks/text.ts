/** Checks that read the sources as text: length of files, and words that must not stay in them. */
import { codeFiles, readSource, type Check } from './sources.ts';

/** A file near 400 lines deserves a critical look; `LIMIT` leaves room for a few lines more. */
const LIMIT = 450;
/** Data and generated code may be as long as they must. */
const NOT_WRITTEN_BY_HAND = /(?:^|\/)(?:data|generated|locales)\/|\.(?:data|generated)\.[jt]sx?$/;

export const fileLength: Check = {
  name: 'file length',
  run: async (root) => {
    const files = codeFiles(root).filter((file) => !NOT_WRITTEN_BY_HAND.test(file));
    const problems = files.flatMap((file) => {
      const lines = readSource(root, file).trimEnd().split('\n').length;
      return lines > LIMIT ? [`${file} has ${lines} lines: split it, ${LIMIT} is the limit`] : [];
    });
    return { read: files.length, problems };
  },
};

/** Written in pieces, so that this file does not find itself. */
const UNWANTED: { pattern: RegExp; why: string; home?: RegExp }[] = [
  { pattern: /\b(?:TO[D]O|FIX[M]E|X[X]X)\b/, why: 'unfinished work does not stay in the sources' },
  {
    pattern: /@ts-(?:[i]gnore|[n]ocheck|[e]xpect-error)/,
    why: 'the type checker is right, or the type is to be put right',
  },
  { pattern: /\b(?:es|ox)lint-[d]isable/, why: 'a rule is kept or taken out for all, not silenced in a place' },
  { pattern: /\bas [a]ny\b(?! [a-z])/, why: 'say what it is' },
  { pattern: /\b(?:test|it|describe|suite)\.(?:[o]nly|[s]kip|[t]odo)\s*\(/, why: 'every test runs' },
  { pattern: /\bprettier-[i]gnore|\boxfmt-[i]gnore/, why: 'the formatter formats everything' },
  {
    pattern: /Default_[I]gnorable|\\p\{C[cf]\}/,
    why: 'what nobody sees has one class for all checks, in shared/wire/invisible.ts',
    home: /^shared\/wire\/invisible\.ts$|\.test\.ts$/,
  },
];

export const wording: Check = {
  name: 'unwanted words',
  run: async (root) => {
    const files = codeFiles(root);
    const problems = files.flatMap((file) =>
      readSource(root, file)
        .split('\n')
        .flatMap((line, index) => {
          const found = UNWANTED.find(({ pattern, home }) => home?.test(file) !== true && pattern.test(line));
          return found === undefined ? [] : [`${file}:${index + 1} ${line.trim().slice(0, 120)}: ${found.why}`];
        }),
    );
    return { read: files.length, problems };
  },
};
