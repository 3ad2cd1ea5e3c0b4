/** A change of the policy as it is tried out (`preview.ts`) or proposed to a second person (`proposals.ts`). */
import { z } from 'zod';
import type { LedgerReader } from '../../agent/ledger/ledger.ts';
import { withCriteria, withDisclaimer, withToggledWord, withWord } from '../../agent/ledger/policy-changes.ts';
import { policyVersion } from '../../agent/ledger/policy-versions.ts';
import type { PolicySnapshot } from '../../agent/screening/policy.ts';
import { createScreener } from '../../agent/screening/screen.ts';
import type { PolicyDraft } from '../../shared/wire/console.ts';
import type { Ids } from '../../shared/time/clock.ts';
import { ApiError } from '../../shared/wire/envelope.ts';
import { describeHit } from './text-check.ts';
import { criteriaChange, disclaimerChange, newWord, wordOf } from './policy-schemas.ts';

export const policyDraftShape = {
  addWords: z.array(newWord).max(100).optional(),
  toggleWords: z.array(z.string().max(100)).max(1_000).optional(),
  criteria: criteriaChange.optional(),
  disclaimer: disclaimerChange.shape.disclaimer.optional(),
  /** Begins from an earlier version instead of the active one. */
  restoreVersion: z.int().min(1).optional(),
};

/** What a draft makes of the active policy. @throws ApiError COMMON409, COMMON404, PolicyChangeError, UnknownWordError */
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
  if (snapshot === undefined) throw new ApiError('COMMON409', 'There is no policy yet that a change could be made on.');
  for (const id of draft.toggleWords ?? []) snapshot = withToggledWord(snapshot, id);
  for (const word of draft.addWords ?? []) snapshot = withWord(snapshot, wordOf(word, ids.uuid()));
  if (draft.criteria !== undefined) snapshot = withCriteria(snapshot, draft.criteria);
  return draft.disclaimer === undefined ? snapshot : withDisclaimer(snapshot, draft.disclaimer);
}

/**
 * The disclaimer goes out beside every text: no version is published whose own words block those of the firm in
 * it. Words to be looked at may stand there, and the answer tells them. The notice of an AI is locked and not
 * looked at, and a change of neither words nor disclaimer is not held up.
 *
 * @throws ApiError COMMON409 with every hit
 */
export function refuseBlockedDisclaimer(active: PolicySnapshot | undefined, next: PolicySnapshot): void {
  const same = (of: 'words' | 'disclaimer'): boolean => JSON.stringify(active?.[of]) === JSON.stringify(next[of]);
  if (same('words') && same('disclaimer')) return;
  const hits = createScreener({ version: 0, snapshot: next }).findWords(next.disclaimer.text);
  const blocking = hits.filter(({ severity }) => severity === 'BLOCK');
  if (blocking.length === 0) return;
  throw new ApiError(
    'COMMON409',
    'The disclaimer contains words that this policy blocks: change the one or the other.',
    blocking.map((hit) => ({ path: 'disclaimer', message: describeHit(hit) })),
  );
}
