/**
 * Withdrawals that go ahead of a backlog overtake the changes of their own texts (D169). What such a change does to the
 * state comes along, so that positions, holds and visibility end as in the order of cursors (D202). The vendor's fields
 * come at their places: a row never holds an entry beyond the applied cursor.
 */
import { knownExplanation, setVendorFields, storedFields } from '../../ledger/explanations/explanations.ts';
import { vendorFields } from '../../ledger/storage/vendor-fields.ts';
import { isLedgerFault } from '../../ledger/storage/errors.ts';
import type { LedgerTransaction } from '../../ledger/storage/ledger.ts';
import type { Store } from '../receive/reception.ts';
import { readCommitted, type CommittedEntry } from './committed-entries.ts';
import { NO_CURSOR } from './explanation-faults.ts';
import type { InHand } from './in-hand.ts';
import { changed, isUnread, rescreen, SENT_AGAIN } from './rescreen.ts';
import type { ScreenEntry } from './screening.ts';
import type { Along } from './withdrawals.ts';

interface Parts {
  ledger: Store;
  screenEntry: ScreenEntry;
  hand?: InHand;
}

/** A change that fails waits for its place. */
export function alongWith(parts: Parts): Along {
  return (tx, id, { changes, at, withdraw: withdrawIt }) => {
    const kept = changes.length === 0 ? undefined : storedFields(tx, id);
    const made = kept === undefined ? [] : changes.filter((each) => isChangedAlong(tx, parts, each, at));
    withdrawIt();
    if (kept !== undefined && made.length > 0) setVendorFields(tx, id, kept.fields, kept.cursor, -made.length);
  };
}

function isChangedAlong(tx: LedgerTransaction, parts: Parts, each: CommittedEntry, at: string): boolean {
  const read = readCommitted(each);
  if (read.kind !== 'NEW') return false;
  const { cursor } = each.entry;
  const fields = vendorFields(read.entry, each.text);
  const known = knownExplanation(tx, fields);
  if (known === undefined) return false;
  // An explanation that was set aside and is sent again is exposed again first, and then withdrawn.
  const isTruncated = known.cursor === NO_CURSOR;
  if (!isTruncated && (known.same || cursor <= known.cursor)) return false;
  // It is rejected in its place.
  if (!known.sameGrain) return false;
  try {
    // One that ends the process twice stays behind (D103).
    parts.hand?.take('WITHDRAW', each.raw.cursorFrom);
    parts.ledger.write((inner) => {
      setVendorFields(inner, known.id, fields, cursor, 1);
      if (!isTruncated && !isUnread(fields, known)) return;
      const reason = isTruncated ? SENT_AGAIN : changed(known).reason;
      rescreen(inner, read.entry, known, { ...parts, came: each.came, at, cursor, reason });
    });
    return true;
  } catch (error) {
    if (isLedgerFault(error)) throw error;
    return false;
  } finally {
    parts.hand?.release();
  }
}
