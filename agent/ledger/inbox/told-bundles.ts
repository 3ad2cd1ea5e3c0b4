/**
 * Holds the raw bundles against the audit log (D199). The row of each text that came names its bundle, so nobody alters
 * unseen what the vendor stated, also where the bundle's own statement is gone. Bundles that were set aside count no
 * more, and the row of a repair names those that have replaced others.
 */
import { sql } from 'kysely';
import { objectIn } from '../audit/logged-moves.ts';
import type { LedgerReader } from '../storage/ledger.ts';
import { prepared, sqlite } from '../storage/query.ts';
import { bundleId } from './raw-bundles.ts';

const STEP = 500;
const rowsAfter = prepared(
  (after: number) => sql<{ seq: number; action: string; detail: string }>`
  SELECT seq, action, detail FROM console_action_log WHERE seq > ${after}
    AND +action IN ('explanation.receive', 'explanation.text-changed', 'ledger.repair', 'ledger.set-aside')
  ORDER BY seq LIMIT ${sql.lit(STEP)}`,
);
const present = prepared(() => sqlite.selectFrom('raw_bundle').select(['cursor_from as cursorFrom', 'sha256']));

/**
 * The bundles that the log names, by the cursor after which each comes: its id, and the row that names it.
 *
 * @param walked called between the steps
 */
function namedBundles(reader: LedgerReader, walked: () => void): Map<number, { id: string; row: number }> {
  const told = new Map<number, { id: string; row: number }>();
  const drop = (from: number, to: number): void => {
    for (const cursor of told.keys()) if (cursor >= from && cursor < to) told.delete(cursor);
  };
  let rows = reader.all(rowsAfter(0));
  for (; rows.length > 0; rows = reader.all(rowsAfter(rows.at(-1)?.seq ?? 0))) {
    for (const { seq, action, detail } of rows) {
      const said = objectIn(detail) ?? {};
      if (action === 'ledger.set-aside') drop(Number(said['committed']), Infinity);
      if (action === 'ledger.repair') drop(Number(said['cursorFrom']), Number(said['cursorTo']));
      for (const id of [said['bundleId'], said['bundleIds']].flat()) {
        const cursor = Number.parseInt(String(id));
        // The first row tells what came: a later one of the same bundle may have read other bytes.
        if (typeof id === 'string' && !told.has(cursor)) told.set(cursor, { id, row: seq });
      }
    }
    walked();
  }
  return told;
}

/**
 * The bundles that are not those of which the log tells: by the cursor after which each comes, the row that tells of it.
 *
 * @param walked called between the steps
 */
export function otherBundles(reader: LedgerReader, walked: () => void = () => undefined): Map<number, number> {
  const named = namedBundles(reader, walked);
  for (const bundle of reader.all(present()))
    if (named.get(bundle.cursorFrom)?.id === bundleId(bundle)) named.delete(bundle.cursorFrom);
  return new Map([...named].map(([cursor, { row }]) => [cursor, row]));
}

/** The places of the bundles that no row of the log names: they have brought no text, or nobody has applied them. */
export function unnamedBundles(reader: LedgerReader): Set<number> {
  const named = namedBundles(reader, () => undefined);
  const unnamed = reader.all(present()).filter((bundle) => named.get(bundle.cursorFrom)?.id !== bundleId(bundle));
  return new Set(unnamed.map(({ cursorFrom }) => cursorFrom));
}
