/** Changes of the screening policy (D16): applies them to a snapshot and compares snapshots. */
import type { PolicyChange } from '../../../shared/wire/console/console.ts';
import type { ThingFault } from '../audit/thing-check.ts';
import { fold, foldedText } from '../../screening/letters/fold.ts';
import type { Criteria, ForbiddenWord, PolicySnapshot, RequiredNotice } from '../../screening/policy.ts';
import { AI_NOTICE } from '../../screening/seed/seed-policy.ts';

/** The change does not fit the present policy; the message says why. */
export class PolicyChangeError extends Error {
  override name = 'PolicyChangeError';
}

/**
 * A policy that was altered past the program must not become genuine by a change that builds on it in good faith (D200).
 *
 * @throws PolicyChangeError
 */
export function refuseAltered([fault]: readonly ThingFault[]): void {
  if (fault !== undefined)
    throw new PolicyChangeError(
      `${fault.says} So no change is made of it: restore an earlier backup, or have "console-api audit begin" put it on record as it is.`,
    );
}

/** The policy already has this word, enabled or not. */
export class WordExistsError extends PolicyChangeError {
  override name = 'WordExistsError';
  readonly word: ForbiddenWord;
  constructor(word: ForbiddenWord) {
    super(`The word “${word.word}” is registered already${word.active ? '' : ' and switched off'}.`);
    this.word = word;
  }
}

export class UnknownWordError extends Error {
  override name = 'UnknownWordError';
}

export class UnknownNoticeError extends Error {
  override name = 'UnknownNoticeError';
}

/** Before the first version: no text is exposed without a reviewer until an administrator decides so. */
const BEFORE_THE_FIRST: Omit<PolicySnapshot, 'disclaimer'> = {
  words: [],
  notices: [],
  criteria: {
    autoProvision: false,
    minSources: 2,
    minConfidence: 'MEDIUM',
    uncertainToReview: true,
    suspectToReview: false,
    insidePasses: true,
    fourEyes: false,
    sampleShare: 0,
    blindShare: 0,
    holdSeconds: 0,
    expiresAt: null,
    reasonDigits: null,
  },
};

/** @throws WordExistsError where a word is the same after folding (D15), disabled words included */
export function withWord(snapshot: PolicySnapshot, word: ForbiddenWord): PolicySnapshot {
  const same = snapshot.words.find((one) => folded(one) === folded(word));
  if (same !== undefined) throw new WordExistsError(same);
  return { ...snapshot, words: [...snapshot.words, word] };
}

/** @throws UnknownWordError, WordExistsError */
export function withToggledWord(snapshot: PolicySnapshot, id: string): PolicySnapshot {
  const word = wordOf(snapshot, id);
  // A newer rule of folding may make two words equal: two in use would each report every hit.
  const twin = snapshot.words.find((one) => one.id !== id && one.active && folded(one) === folded(word));
  if (!word.active && twin !== undefined) throw new WordExistsError(twin);
  return withOther(snapshot, { ...word, active: !word.active });
}

/** The new values of a word; absent or undefined ones stay. The word itself never changes. */
export interface WordChange {
  severity?: ForbiddenWord['severity'] | undefined;
  reason?: ForbiddenWord['reason'] | undefined;
  exceptions?: ForbiddenWord['exceptions'] | undefined;
  apart?: ForbiddenWord['apart'];
  /** An empty list takes them away. */
  replacements?: ForbiddenWord['replacements'];
}

/** @throws UnknownWordError */
export function withChangedWord(snapshot: PolicySnapshot, id: string, change: WordChange): PolicySnapshot {
  const word = wordOf(snapshot, id);
  const { replacements: known, ...rest } = word;
  const reason = change.reason ?? word.reason;
  const replacements = change.replacements ?? known ?? [];
  return withOther(snapshot, {
    ...rest,
    severity: change.severity ?? word.severity,
    ...(reason === undefined ? {} : { reason }),
    exceptions: change.exceptions ?? word.exceptions,
    ...(change.apart === undefined ? {} : { apart: change.apart }),
    ...(replacements.length === 0 ? {} : { replacements }),
  });
}

function wordOf(snapshot: PolicySnapshot, id: string): ForbiddenWord {
  const word = snapshot.words.find((one) => one.id === id);
  if (word === undefined) throw new UnknownWordError(`There is no word ${id}.`);
  return word;
}

function withOther(snapshot: PolicySnapshot, word: ForbiddenWord): PolicySnapshot {
  return { ...snapshot, words: snapshot.words.map((one) => (one.id === word.id ? word : one)) };
}

/** Replaces the notice with the same id, or appends it. */
export function withNotice(snapshot: PolicySnapshot, notice: RequiredNotice): PolicySnapshot {
  const known = snapshot.notices.some(({ id }) => id === notice.id);
  const notices = known
    ? snapshot.notices.map((one) => (one.id === notice.id ? notice : one))
    : [...snapshot.notices, notice];
  return { ...snapshot, notices };
}

/** @throws UnknownNoticeError */
export function noticeOf(snapshot: PolicySnapshot, id: string): RequiredNotice {
  const notice = snapshot.notices.find((one) => one.id === id);
  if (notice === undefined) throw new UnknownNoticeError(`There is no notice ${id}.`);
  return notice;
}

/** The new values of the criteria; absent or undefined ones stay. */
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
      suspectToReview: change.suspectToReview ?? criteria.suspectToReview,
      insidePasses: change.insidePasses ?? criteria.insidePasses,
      fourEyes: change.fourEyes ?? criteria.fourEyes,
      sampleShare: change.sampleShare ?? criteria.sampleShare,
      blindShare: change.blindShare ?? criteria.blindShare,
      holdSeconds: change.holdSeconds ?? criteria.holdSeconds,
      expiresAt: change.expiresAt === undefined ? criteria.expiresAt : change.expiresAt,
      reasonDigits: change.reasonDigits === undefined ? criteria.reasonDigits : change.reasonDigits,
    },
  };
}

/** Sets the firm's own words; the notice of an AI before them is locked. Without a policy this makes the first one. */
export function withDisclaimer(snapshot: PolicySnapshot | undefined, whole: string): PolicySnapshot {
  const aiNotice = snapshot?.disclaimer.aiNotice ?? AI_NOTICE;
  const trimmed = whole.trim();
  const text = trimmed.startsWith(aiNotice) ? trimmed.slice(aiNotice.length).trim() : trimmed;
  if (text === '') throw new PolicyChangeError('The disclaimer needs the firm’s own wording beside the AI notice.');
  return { ...(snapshot ?? BEFORE_THE_FIRST), disclaimer: { aiNotice, text } };
}

const foldedWords = new WeakMap<ForbiddenWord, string>();

/** Each word is folded once: a draft of 500 words is compared with every word of the policy. */
function folded(word: ForbiddenWord): string {
  const known = foldedWords.get(word);
  if (known !== undefined) return known;
  const letters = foldedText(fold(word.word));
  foldedWords.set(word, letters);
  return letters;
}

/** The differences of a snapshot from the one before it; without one, it is the first. */
export function differences(before: PolicySnapshot | undefined, after: PolicySnapshot): PolicyChange[] {
  if (before === undefined) return [{ kind: 'FIRST', words: after.words.length }];
  return [
    ...wordDifferences(before.words, after.words),
    ...noticeDifferences(before.notices, after.notices),
    ...criteriaDifferences(before.criteria, after.criteria),
    ...disclaimerDifferences(before, after),
  ];
}

function wordDifferences(before: readonly ForbiddenWord[], after: readonly ForbiddenWord[]): PolicyChange[] {
  const known = new Map(before.map((word) => [word.id, word]));
  const kept = new Set(after.map((word) => word.id));
  const treatment = ({ severity, reason, exceptions, apart, replacements }: ForbiddenWord) => ({
    severity,
    ...(reason === undefined ? {} : { reason }),
    exceptions,
    ...(apart === undefined ? {} : { apart }),
    ...(replacements === undefined ? {} : { replacements }),
  });
  const about = (word: ForbiddenWord) => ({ wordId: word.id, word: word.word, ...treatment(word) });
  return [
    ...after.flatMap((word): PolicyChange[] => {
      const old = known.get(word.id);
      if (old === undefined) return [{ kind: 'WORD_ADDED', ...about(word) }];
      const isSameButSwitch = JSON.stringify({ ...old, active: word.active }) === JSON.stringify(word);
      return [
        ...(isSameButSwitch
          ? []
          : [
              {
                kind: 'WORD_CHANGED',
                ...about(word),
                from: treatment(old),
              } as const,
            ]),
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

function noticeDifferences(before: readonly RequiredNotice[], after: readonly RequiredNotice[]): PolicyChange[] {
  const ids = new Set([...before, ...after].map(({ id }) => id));
  return [...ids].flatMap((id): PolicyChange[] => {
    const [from, to] = [before, after].map((notices) => notices.find((one) => one.id === id) ?? null);
    return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ kind: 'NOTICE', from: from ?? null, to: to ?? null }];
  });
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
