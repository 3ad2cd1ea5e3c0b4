/** Refuses a v2 text that is not fit for readers: no tenant screens it, and nobody reviews it (D210). */
import type { UnfitKind } from '../../shared/wire/unfit-kinds.ts';
import { quoteOf, unfitnessOf } from '../../shared/wire/unfit.ts';
import type { Load } from '../publication/load.ts';
import { LoadRefusedError } from '../publication/refusal.ts';

const SAID: Record<UnfitKind, (found: string) => string> = {
  CHARACTERS: (found) => `the character ${found}, which no reader sees or reads`,
  MARKUP: (found) => `markup ${found}`,
  PLACEHOLDER: (found) => `a placeholder ${found}`,
  GARBLED: (found) => `broken letters ${found}`,
  FOREIGN: (found) => `another language ${found}`,
  ASSISTANT: (found) => `the phrase of an assistant ${found}`,
};

/** @throws LoadRefusedError TEXT_UNFIT */
export function refuseUnfitAnalysis(load: Load): void {
  if (load.mode !== 'V2') return;
  const { summary } = load.analysis;
  const found = unfitnessOf(summary).map((one) => SAID[one.kind](quoteOf(summary, one)));
  if (found.length > 0)
    throw new LoadRefusedError('TEXT_UNFIT', `analysis.summary: must not contain ${found.join('; ')}.`);
}
