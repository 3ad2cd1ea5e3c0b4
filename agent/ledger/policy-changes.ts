/** Changes of the screening policy (D16): what may be changed on a snapshot, and how two snapshots differ. */
import type { PolicyChange } from '../../shared/wire/console.ts';
import { fold } from '../screening/fold.ts';
import type { Criteria, ForbiddenWord, PolicySnapshot } from '../screening/policy.ts';
import { AI_NOTICE } from '../screening/seed-policy.ts';

/** The change cannot be made on the policy as it is; the message says why. */
export class PolicyChangeError extends Error {
  override name = 'PolicyChangeError';
}

export class UnknownWordError extends Error {
  override name = 'UnknownWordError';
}

/** Where the first version begins: nothing goes out without a reviewer until somebody says so. */
const BEFORE_THE_FIRST: Omit<PolicySnapshot, 'disclaimer'> = {
  words: [],
  criteria: {
    autoProvision: false,
    minSources: 2,
    minConfidence: 'MEDIUM',
    uncertainToReview: true,
    fourEyes: false,
    sampleShare: 0,
    blindShare: 0,
    holdSeconds: 0,
    expiresAt: null,
  },
};

/** @throws PolicyChangeError where an active word is the same one once it is folded (D15) */
export function withWord(snapshot: PolicySnapshot, word: ForbiddenWord): PolicySnapshot {
  const same = snapshot.words.find((one) => one.active && folded(one.word) === folded(word.word));
  if (same !== undefined) throw new PolicyChangeError(`The word “${same.word}” is registered already.`);
  return { ...snapshot, words: [...snapshot.words, word] };
}

/** @throws UnknownWordError, PolicyChangeError */
export function withToggledWord(snapshot: PolicySnapshot, id: string): PolicySnapshot {
  const word = snapshot.words.find((one) => one.id === id);
  if (word === undefined) throw new UnknownWordError(`There is no word ${id}.`);
  const others = { ...snapshot, words: snapshot.words.filter((one) => one.id !== id) };
  // Two active words that are the same would each report every hit.
  if (!word.active) withWord(others, word);
  return {
    ...snapshot,
    words: snapshot.words.map((one) => (one.id === id ? { ...one, active: !one.active } : one)),
  };
}

/** What of the criteria is to be another; what is absent or undefined stays. */
export type CriteriaChange = { [K in keyof Criteria]?: Criteria[K] | undefined };

export function withCriteria(snapshot: PolicySnapshot, change: CriteriaChange): PolicySnapshot {
  const { criteria } = snapshot;
  return {
    ...snapshot,
    criteria: {
      autoProvision: change.autoProvision ?? criteria.autoProvision,
      minSources: change.minSources ?? criteria.minSources,
      minConfidence: change.minConfidence ?? criteria.minConfidence,
      uncertainToReview: change.uncertainToReview ?? criteria.uncertainToReview,
      fourEyes: change.fourEyes ?? criteria.fourEyes,
      sampleShare: change.sampleShare ?? criteria.sampleShare,
      blindShare: change.blindShare ?? criteria.blindShare,
      holdSeconds: change.holdSeconds ?? criteria.holdSeconds,
      expiresAt: change.expiresAt === undefined ? criteria.expiresAt : change.expiresAt,
    },
  };
}

/** Sets the firm's own words; the notice of an AI before them is locked. Without a policy this makes the first one. */
export function withDisclaimer(snapshot: PolicySnapshot | undefined, whole: string): PolicySnapshot {
  const aiNotice = snapshot?.disclaimer.aiNotice ?? AI_NOTICE;
  const trimmed = whole.trim();
  const text = trimmed.startsWith(aiNotice) ? trimmed.slice(aiNotice.length).trim() : trimmed;
  if (text === '') throw new PolicyChangeError('The disclaimer needs words of the firm beside the notice of an AI.');
  return { ...(snapshot ?? BEFORE_THE_FIRST), disclaimer: { aiNotice, text } };
}

function folded(text: string): string {
  return fold(text).codes.join(',');
}

/** How a snapshot differs from the one before it; from none, it is the first. */
export function differences(before: PolicySnapshot | undefined, after: PolicySnapshot): PolicyChange[] {
  if (before === undefined) return [{ kind: 'FIRST', words: after.words.length }];
  return [
    ...wordDifferences(before.words, after.words),
    ...criteriaDifferences(before.criteria, after.criteria),
    ...disclaimerDifferences(before, after),
  ];
}

function wordDifferences(before: readonly ForbiddenWord[], after: readonly ForbiddenWord[]): PolicyChange[] {
  const known = new Map(before.map((word) => [word.id, word]));
  const kept = new Set(after.map((word) => word.id));
  const about = ({ id, word, severity }: ForbiddenWord) => ({ wordId: id, word, severity });
  return [
    ...after.flatMap((word): PolicyChange[] => {
      const old = known.get(word.id);
      if (old === undefined) return [{ kind: 'WORD_ADDED', ...about(word) }];
      const isSameButSwitch = JSON.stringify({ ...old, active: word.active }) === JSON.stringify(word);
      return [
        ...(isSameButSwitch ? [] : [{ kind: 'WORD_CHANGED', ...about(word) } as const]),
        ...(old.active === word.active
          ? []
          : [{ kind: word.active ? 'WORD_SWITCHED_ON' : 'WORD_SWITCHED_OFF', ...about(word) } as const]),
      ];
    }),
    ...before
      .filter((word) => !kept.has(word.id))
      .map((word): PolicyChange => ({ kind: 'WORD_REMOVED', ...about(word) })),
  ];
}

function criteriaDifferences(before: Criteria, after: Criteria): PolicyChange[] {
  return (Object.keys(after) as (keyof Criteria)[])
    .filter((criterion) => before[criterion] !== after[criterion])
    .map((criterion) => ({ kind: 'CRITERION', criterion, from: before[criterion], to: after[criterion] }));
}

function disclaimerDifferences(before: PolicySnapshot, after: PolicySnapshot): PolicyChange[] {
  const whole = ({ disclaimer }: PolicySnapshot): string => `${disclaimer.aiNotice} ${disclaimer.text}`;
  return whole(before) === whole(after) ? [] : [{ kind: 'DISCLAIMER', from: whole(before), to: whole(after) }];
}
