/**
 * The vendor's fields of the explanations among the facts, as they are and as they were: they decide which text of a
 * ticker stands before which. Each is that of an entry in the vendor's bytes. The making of a dossier and `verify-dossier`
 * apply this one rule (D190).
 */
import { hash } from 'node:crypto';
import { SERVING_FIELDS, type ServingFields } from '../serving/record.ts';
import { upTo } from '../shown/shown-at.ts';
import { RecordFaultError } from '../shown/logged-facts.ts';
import type { ConsoleActionLogTable } from '../storage/tables.ts';
import type { DossierShown } from './contents.ts';
import type { VendorFields } from '../storage/vendor-fields.ts';

type Facts = DossierShown['facts'];
type ExplanationPart = Facts['explanations'][number];
type Fields = ExplanationPart['fields'];

/** An entry with a text. */
export interface FieldsEntry {
  cursor: number;
  fields: Omit<ServingFields, 'cursor'> & Pick<VendorFields, 'summary'>;
}
type Entry = FieldsEntry;

/** What the audit log has no row of. */
export const UNPROVED = {
  time: 'times at which the vendor changed fields beside a text',
  corrected: 'fields before a rebuild or a set-aside corrected them',
  others: "changes of the vendor's fields of explanations that are not told here",
  back: 'rows of the record that are not told here, beside a clock that was set back',
  lost: 'fields whose entry was set aside',
} as const;

/** The times of the log at which raw records were set aside. */
export const setAsideIn = (rows: readonly Pick<ConsoleActionLogTable, 'action' | 'at'>[]): ReadonlySet<string> =>
  new Set(rows.filter(({ action }) => action === 'ledger.set-aside').map(({ at }) => at));

/**
 * @param setAside the times of the log at which raw records were set aside
 * @returns what is not proved, one for each
 * @throws RecordFaultError
 */
export function checkFields(
  told: ExplanationPart,
  entries: readonly Entry[],
  facts: Facts,
  setAside: ReadonlySet<string>,
): string[] {
  const unproved: string[] = [];
  const isMended = (at: string): boolean =>
    setAside.has(at) ||
    facts.rebuilds.some((rebuild) => rebuild.at === at) ||
    upTo(facts.rebuilds, at, facts).at(-1)?.held === 1;
  const versions = [...told.former, { at: null, fields: told.fields }];
  for (const [index, { at, fields }] of versions.entries()) {
    const next = versions[index + 1]?.fields;
    if (at !== null && isMended(at)) {
      unproved.push(UNPROVED.corrected);
      continue;
    }
    const entry = fields.cursor === 0 && setAside.size === 0 ? undefined : entryOf(fields, entries);
    if (entry === undefined)
      throw new RecordFaultError(
        `the record tells fields of ${told.id}${at === null ? '' : ` before ${at}`} that no entry in the bundles has`,
      );
    if (fields.cursor === 0) unproved.push(UNPROVED.lost);
    if (at === null || next === undefined) continue;
    if (next.cursor !== 0 && next.cursor <= fields.cursor)
      throw new RecordFaultError(
        `the record tells the entries of ${told.id} in another order at ${at} than the vendor`,
      );
    // Under another ticker it may have changed again since, which is recorded there alone.
    const after = next.etf_ticker === facts.ticker ? entryOf(next, entries) : undefined;
    if (!isTextChange(told, at, entry, after)) unproved.push(UNPROVED.time);
  }
  return unproved;
}

/** The entry that gives these fields. Cursor 0: its raw record was set aside, and an entry like it may have come again. */
const entryOf = (fields: Fields, entries: readonly Entry[]): Entry | undefined =>
  entries.find(
    (one) =>
      (fields.cursor === 0 || one.cursor === fields.cursor) &&
      SERVING_FIELDS.every((name) => name === 'cursor' || fields[name] === one.fields[name]),
  );

/** Another text is a move at that time, which the audit log has, unless the vendor has withdrawn the explanation. */
function isTextChange({ id, moves }: ExplanationPart, at: string, before: Entry, after: Entry | undefined): boolean {
  const isMoved = moves.some((move) => move.move === 'text-changed' && move.at === at);
  const isOther = after !== undefined && digest(after) !== digest(before);
  if (isOther && !isMoved && !moves.some(({ move }) => move === 'invalidate'))
    throw new RecordFaultError(`the vendor's text of ${id} changed at ${at}, and no move of that time says so`);
  return isMoved;
}

const digest = ({ fields }: Entry): string => hash('sha256', fields.summary);

/**
 * Each fact has its row in the order of the record, which counts of requests name.
 *
 * @returns what the rows are that are of no fact here, one for each
 * @throws RecordFaultError
 */
export function checkRecorded({ recorded, ...facts }: Facts): string[] {
  const seqs = recorded.map(({ seq }) => seq);
  if (seqs.some((seq, index) => index > 0 && seq <= (seqs[index - 1] ?? 0)))
    throw new RecordFaultError('the rows of the record are not in their order');
  const left = [...recorded];
  const { policies, scope, channels, instrument, rebuilds, corrected, restored, explanations } = facts;
  const lists = [policies, scope, channels, instrument, rebuilds, corrected, restored];
  const times = [...lists.flat(), ...explanations.flatMap(({ former }) => former)].map(({ at }) => at);
  for (const at of times) {
    const place = left.findLastIndex((row) => row.at === at);
    if (place < 0) throw new RecordFaultError(`a change at ${at} has no row in the record`);
    left.splice(place, 1);
  }
  const isBack = recorded.some(({ at }, index) => at < (recorded[index - 1]?.at ?? ''));
  return left.map(() => (isBack ? UNPROVED.back : UNPROVED.others));
}
