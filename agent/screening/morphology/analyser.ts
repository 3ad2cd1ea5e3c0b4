/**
 * The Korean morphological analyser: garu-ko, WebAssembly with its model beside it, no network. It is loaded at its first
 * use and takes some 35 MB, so that a process that never screens pays nothing. Its results are part of `MATCHER_VERSION`,
 * and its version is pinned.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { GaruWasm, initSync } from 'garu-ko/pkg/garu_wasm.js';

/** One morpheme as the analyser tells it: places are code points of the space-separated word that it stands in. */
export interface AnalysedMorpheme {
  /** In its dictionary form: `하` and `았` of `했`. */
  text: string;
  /** Of the Sejong tag set: `NNG`, `JKS`, `EF`. */
  pos: string;
  start: number;
  end: number;
}

let loaded: GaruWasm | null = null;

/**
 * The morphemes of a sentence. Its time grows with the square of the longest word, so callers bound it.
 *
 * @throws where the analyser's files are missing or it fails; the caller's check fails, and a person reads the text
 */
export function analyse(sentence: string): readonly AnalysedMorpheme[] {
  return run(sentence).tokens;
}

/**
 * Whether the analyser only guesses that these letters are a noun: it takes unknown letters for one, at a cost that
 * depends on their number alone.
 */
export function isGuess(noun: string): boolean {
  const guess = GUESSED[noun.length];
  if (guess === undefined) return noun.length > LONGEST_GUESS;
  const { tokens, score } = run(noun);
  return tokens.length !== 1 || score >= run(guess).score;
}

/** No words at all, by their number of letters: what they cost is what a guess costs. Shorter ones are never guessed. */
const GUESSED = [undefined, undefined, undefined, '돕툐쥬', '쥬냐돕툐', '쥬냐돕툐퓨', '쥬냐돕툐퓨켜', '쥬냐돕툐퓨켜츄'];
const LONGEST_GUESS = GUESSED.length - 1;

interface Result {
  tokens: AnalysedMorpheme[];
  /** The cost: less is likelier. */
  score: number;
}

function run(text: string): Result {
  loaded ??= load();
  try {
    return loaded.analyze(text) as Result;
  } catch (error) {
    // After a fault of WebAssembly its memory is not to be trusted.
    loaded = null;
    throw error;
  }
}

function load(): GaruWasm {
  const file = (name: string): Buffer => readFileSync(createRequire(import.meta.url).resolve(`garu-ko/${name}`));
  initSync({ module: file('pkg/garu_wasm_bg.wasm') });
  return new GaruWasm(file('models/base.gmdl'));
}
