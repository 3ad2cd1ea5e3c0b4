/** A change of the policy, as previewed (`preview.ts`), published (`screening.ts`) or proposed (`proposals.ts`). */
import { z } from 'zod';
import type { LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import {
  noticeOf as knownNotice,
  withChangedWord,
  withCriteria,
  withDisclaimer,
  withNotice,
  withToggledWord,
  withWord,
} from '../../../agent/ledger/policy/changes.ts';
import { policyVersion } from '../../../agent/ledger/policy/versions.ts';
import type { PolicySnapshot } from '../../../agent/screening/policy.ts';
import { createScreener } from '../../../agent/screening/screen.ts';
import { MOST_WORDS_AT_ONCE } from '../../../shared/wire/console/constants.ts';
import type { PolicyChange, PolicyDraft } from '../../../shared/wire/console/console.ts';
import type { Ids } from '../../../shared/time/clock.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { describeHit } from '../context/text-check.ts';
import { criteriaChange, disclaimerChange, newNotice, newWord, noticeOf, wordChange, wordOf } from './schemas.ts';
import { LONGEST, requiredWrittenText } from '../http/schemas.ts';

const id = z.string().min(1).max(100);

/** In the one form in which instants compare as texts. */
const startInstant = z.iso.datetime({ offset: true }).transform((at) => new Date(at).toISOString());

export const policyDraftShape = {
  addWords: z.array(newWord).max(MOST_WORDS_AT_ONCE).optional(),
  changeWords: z
    .array(z.strictObject({ id, ...wordChange.shape }))
    .max(MOST_WORDS_AT_ONCE)
    .optional(),
  toggleWords: z.array(id).max(1_000).optional(),
  addNotices: z.array(newNotice).max(100).optional(),
  changeNotices: z
    .array(z.strictObject({ id, ...newNotice.shape }))
    .max(100)
    .optional(),
  criteria: criteriaChange.optional(),
  disclaimer: disclaimerChange.shape.disclaimer.optional(),
  /** Starts from an earlier version instead of the active one. */
  restoreVersion: z.int().min(1).optional(),
  startsAt: startInstant.nullable().optional(),
};

/** The longest draft in bytes: 500 words with a long list of exceptions each. */
export const MOST_DRAFT_BYTES = 2 * 1024 ** 2;

/** A draft to be proposed or published, with the person's reason. */
export const reasonedDraft = z
  .strictObject({ ...policyDraftShape, reason: requiredWrittenText(LONGEST.reason).optional() })
  .refine(({ reason: _, ...draft }) => Object.keys(draft).length > 0, 'must name at least one change');

/** The texts of a draft beside its differences. */
export function toldOf({ restoreVersion, reason }: PolicyDraft & { reason?: string | undefined }): PolicyChange[] {
  return [
    ...(reason === undefined ? [] : [{ kind: 'NOTE', text: reason } as const]),
    ...(restoreVersion === undefined ? [] : [{ kind: 'RESTORED', version: restoreVersion } as const]),
  ];
}

/**
 * Applies a draft to the active policy. Without one, its disclaimer makes the first version.
 *
 * @throws ApiError COMMON409, COMMON404, PolicyChangeError, UnknownWordError, UnknownNoticeError
 */
export function applyDraft(
  reader: LedgerReader,
  ids: Ids,
  active: PolicySnapshot | undefined,
  draft: PolicyDraft,
): PolicySnapshot {
  let snapshot = active;
  if (draft.restoreVersion !== undefined) {
    snapshot = policyVersion(reader, draft.restoreVersion)?.snapshot;
    if (snapshot === undefined) throw new ApiError('COMMON404');
  }
  if (draft.disclaimer !== undefined) snapshot = withDisclaimer(snapshot, draft.disclaimer);
  if (snapshot === undefined) throw new ApiError('COMMON409', 'There is no policy yet: set the disclaimer first.');
  for (const word of draft.toggleWords ?? []) snapshot = withToggledWord(snapshot, word);
  for (const { id: word, ...change } of draft.changeWords ?? []) snapshot = withChangedWord(snapshot, word, change);
  for (const word of draft.addWords ?? []) snapshot = withWord(snapshot, wordOf(word, ids.uuid()));
  for (const notice of draft.changeNotices ?? []) {
    snapshot = withNotice(snapshot, noticeOf(notice, knownNotice(snapshot, notice.id).id));
  }
  for (const notice of draft.addNotices ?? []) snapshot = withNotice(snapshot, noticeOf(notice, ids.uuid()));
  return draft.criteria === undefined ? snapshot : withCriteria(snapshot, draft.criteria);
}

/**
 * The disclaimer is published beside every text, a required notice stands in texts, and a replacement phrase is put into
 * them (D213): no version is published whose own words block the firm's part of the first, or a wording of the others, by
 * their letters, also where it denies what they say.
 * Words of severity REVIEW may appear there, and the answer reports those of the disclaimer. The AI notice is locked and not
 * screened, and a change of nothing of this is not refused.
 *
 * @throws ApiError COMMON409 with every hit
 */
export function refuseBlockedNotices(active: PolicySnapshot | undefined, next: PolicySnapshot): void {
  const same = (of: 'words' | 'disclaimer' | 'notices'): boolean =>
    JSON.stringify(active?.[of]) === JSON.stringify(next[of]);
  if (same('words') && same('disclaimer') && same('notices')) return;
  const screener = createScreener({ version: 0, snapshot: next });
  const blocking = new Set(next.words.flatMap(({ id, severity }) => (severity === 'BLOCK' ? [id] : [])));
  const blocked = (path: string, notice: string) =>
    screener
      .findWordsOfNotice(notice)
      .filter(({ wordId, pass, exception, grammar }) => {
        const isByLetters = pass === 'strict' && exception === null && grammar !== 'INSIDE';
        return isByLetters && blocking.has(wordId);
      })
      .map((hit) => ({ path, message: describeHit(hit) }));
  const found = [
    ...blocked('disclaimer', next.disclaimer.text),
    ...next.notices.flatMap(({ active: isUsed, terms }) =>
      isUsed ? terms.flatMap((term) => blocked('notices', term)) : [],
    ),
    ...next.words.flatMap(({ active: isUsed, replacements = [] }) =>
      isUsed ? replacements.flatMap((phrase) => blocked('replacements', phrase)) : [],
    ),
  ];
  if (found.length === 0) return;
  throw new ApiError(
    'COMMON409',
    'The disclaimer, a required notice or a replacement phrase contains words that this policy blocks: change the one or the other.',
    found,
  );
}
