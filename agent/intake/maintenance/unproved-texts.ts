/**
 * Applied texts of which nothing shows that the vendor has sent them (D199): no row of the audit log names their bundle, as
 * the row of each text that came does, and no verification key at hand has signed it. The applied cursor proves nothing:
 * who can write to the ledger raises it over a bundle, or replaces one that brought no text.
 */
import { explanationId, statusOf } from '../../ledger/explanations/explanations.ts';
import { lastMoveOf } from '../../ledger/explanations/history-mismatch.ts';
import { unnamedBundles } from '../../ledger/inbox/told-bundles.ts';
import { rawBundleAfter } from '../../ledger/inbox/raw-bundles.ts';
import type { LedgerReader } from '../../ledger/storage/ledger.ts';
import { CommittedEntries, entriesOf } from '../apply/committed-entries.ts';
import type { Projection } from '../apply/projection.ts';
import type { IsProved } from '../receive/proved.ts';

/** Nothing was changed: words would be screened that the vendor may never have sent. */
export class UnprovedTextError extends Error {
  override name = 'UnprovedTextError';
  constructor(findings: readonly string[]) {
    super(`${findings.join('\n')}\nNothing was changed.`);
  }
}

/**
 * The places of the bundles that neither the log names nor a key at hand has signed; none without a key.
 *
 * @param upTo bundles that begin before this cursor
 */
export function unprovedBundles(reader: LedgerReader, isProved: IsProved | undefined, upTo: number): Set<number> {
  const unproved = new Set<number>();
  if (isProved === undefined) return unproved;
  for (const place of unnamedBundles(reader)) {
    const raw = place < upTo ? rawBundleAfter(reader, place) : undefined;
    if (raw !== undefined && !isProved(raw)) unproved.add(place);
  }
  return unproved;
}

/**
 * One sentence for each unproved bundle that brought a text, among those that begin before a cursor. Its withdrawals count
 * as they are, and so does a change of other fields: no row of the log tells of that, and the words are those of before.
 *
 * @throws RawBundleDamagedError
 */
export function unprovedTexts(
  reader: LedgerReader,
  derived: Projection,
  isProved: IsProved | undefined,
  upTo = derived.upTo,
): string[] {
  /** The places of their bundles by the cursors of the entries in question. */
  const places = new Map<number, number>();
  for (const place of unprovedBundles(reader, isProved, upTo)) {
    const raw = rawBundleAfter(reader, place);
    for (const { entry } of raw === undefined ? [] : entriesOf(raw)) places.set(entry.cursor, place);
  }
  if (places.size === 0) return [];
  const committed = new CommittedEntries(reader);
  const wordsAt = (cursor: number): string => committed.newAt(cursor).fields.summary;
  const found = new Map<number, string>();
  for (const [id, { changes }] of derived.explanations) {
    // No withdrawn text returns.
    if (derived.withdrawn.has(id)) continue;
    changes.forEach((cursor, index) => {
      const [place, before] = [places.get(cursor), changes[index - 1]];
      if (place === undefined || found.has(place)) return;
      const areOther = before === undefined || wordsAt(before) !== wordsAt(cursor);
      if (areOther && !staysWithdrawn(reader, explanationId(id))) found.set(place, id);
    });
  }
  return [...found].map(
    ([place, id]) =>
      `The raw bundle after cursor ${place} brought the text of ${id}, no row of the audit log names it, and no verification key at hand has signed it: name the key that has, or "intake set-aside ${place}" lets the cloud send again what follows.`,
  );
}

/** By history and row, where there is one: also after its withdrawal was set aside nothing screens it again. */
function staysWithdrawn(reader: LedgerReader, id: string): boolean {
  return (
    lastMoveOf(reader, id)?.to_status === 'INVALIDATED' && (statusOf(reader, id) ?? 'INVALIDATED') === 'INVALIDATED'
  );
}
