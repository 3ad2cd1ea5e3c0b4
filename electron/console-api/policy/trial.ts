/**
 * Teaches what a word and a policy catch before anything is published: a sentence under the draft and under the policy in
 * force, and examples of a word, from the ledger and made by inflection. Nothing is written.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { explanationsSince, type ScreenedRow } from '../../../agent/ledger/explanations/recent.ts';
import { activePolicy, editedPolicy } from '../../../agent/ledger/policy/versions.ts';
import { fold, foldedText } from '../../../agent/screening/letters/fold.ts';
import { createMatcher, type Matcher } from '../../../agent/screening/matcher.ts';
import { examplesOf, readPartsOf } from '../../../agent/screening/morphology/examples.ts';
import { sentencesOf } from '../../../agent/screening/morphology/grammar.ts';
import { createScreener } from '../../../agent/screening/screen.ts';
import { withWhy } from '../../../agent/screening/sentences.ts';
import {
  trialSchema,
  wordExamplesSchema,
  type Trial,
  type WordExample,
  type WordExamples,
} from '../../../shared/wire/console/policy.ts';
import type { ConsoleContext } from '../context/context.ts';
import { endpoint } from '../http/endpoint.ts';
import { requiredText } from '../http/schemas.ts';
import { applyDraft, policyDraftShape } from './draft.ts';
import { newWord, wordOf } from './schemas.ts';

const LONGEST_TRIAL = 2_000;
/** Newest explanations that are searched for examples. */
const MOST_SEARCHED = 2_000;
/** Explanations searched before other requests get a turn. */
const STEP = 50;
/** Most examples of each kind and origin. */
const MOST_EXAMPLES = 5;

export const trialHandlers = {
  'POST /api/v1/screening/trial': endpoint({
    refuses: [404],
    summary: 'The forbidden words in a text under the policy in force and under a change of it; nothing is stored',
    body: z.strictObject({ text: requiredText(LONGEST_TRIAL), ...policyDraftShape }),
    result: trialSchema,
    handle: ({ body: { text, ...draft }, context }): Trial => {
      // A change builds on the version that waits for its start (D212).
      const [active, base] = [activePolicy(context.ledger), editedPolicy(context.ledger)];
      const inForce = context.ledger
        .read((reader) => context.screener.of(reader))
        .findWords(text)
        .map(withWhy);
      // Without a policy and a disclaimer there is no version to be, and yet words to try.
      const isSame = Object.keys(draft).length === 0 && base?.version === active?.version;
      if (isSame) return { policyVersion: active?.version ?? null, inForce, draft: inForce };
      const proposed = applyDraft(context.ledger, context.ids, base?.snapshot, draft);
      return {
        policyVersion: active?.version ?? null,
        inForce,
        draft: createScreener({ version: 0, snapshot: proposed }).findWords(text).map(withWhy),
      };
    },
  }),

  'POST /api/v1/screening/words/examples': endpoint({
    summary: 'How a word will be read, and sentences that it catches and does not; nothing is stored',
    body: newWord,
    result: wordExamplesSchema,
    handle: async ({ body, context }): Promise<WordExamples> => {
      const word = wordOf(body, 'tried');
      const matcher = createMatcher([word]);
      const made = examplesOf(word.word).map((text) => example(matcher, text, 'MADE'));
      const parts = word.apart === null ? [] : readPartsOf(word.word);
      const resembling = [word.word, ...parts].map(lettersOf).filter((letters) => letters.length > 1);
      return { parts, examples: [...(await fromLedger(context, matcher, resembling)), ...made] };
    },
  }),
};

const lettersOf = (text: string): string => foldedText(fold(text));

const example = (matcher: Matcher, text: string, origin: WordExample['origin']): WordExample => ({
  text,
  origin,
  hits: matcher.find(text).map(withWhy),
});

/** Sentences of the newest texts that the word catches, and such as only hold its letters or one of its parts. */
async function fromLedger(context: ConsoleContext, matcher: Matcher, resembling: string[]): Promise<WordExample[]> {
  const caught = new Map<string, WordExample>();
  const others = new Map<string, WordExample>();
  let last: ScreenedRow | undefined;
  for (let searched = 0; searched < MOST_SEARCHED; searched += STEP) {
    const rows: ScreenedRow[] = explanationsSince(context.ledger, '', last, STEP);
    for (const sentence of new Set(rows.flatMap(({ summary }) => partsIn(summary)))) {
      const letters = lettersOf(sentence);
      if (!resembling.some((one) => letters.includes(one))) continue;
      const one = example(matcher, sentence, 'LEDGER');
      const group = one.hits.length > 0 ? caught : others;
      if (group.size < MOST_EXAMPLES) group.set(sentence, one);
    }
    last = rows.at(-1);
    if (last === undefined || (caught.size === MOST_EXAMPLES && others.size === MOST_EXAMPLES)) break;
    await nextTurn();
  }
  return [...caught.values(), ...others.values()];
}

const partsIn = (text: string): string[] =>
  sentencesOf(text)
    .map(({ start, end }) => text.slice(start, end).trim())
    .filter((sentence) => sentence !== '' && sentence.length <= LONGEST_TRIAL);
