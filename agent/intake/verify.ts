/** `intake verify`: whether a ledger is what it must be. Changes nothing. */
import { brokenChain, verifyChain } from '../ledger/audit.ts';
import { explanationId } from '../ledger/explanations.ts';
import { standingOf, type Standing } from '../ledger/journal.ts';
import { sqlite, type Ledger, type LedgerReader } from '../ledger/ledger.ts';
import { rawBundleAfter, readCursors } from '../ledger/raw-bundles.ts';
import { areCountsSound, isIndexSound } from '../ledger/search-index.ts';
import type { ExplanationTable } from '../ledger/tables.ts';
import { NO_CURSOR } from './apply.ts';
import { entriesOf, RawBundleDamagedError } from './committed.ts';
import { derive, digestOf, fieldsAt, type Derivation } from './derivation.ts';

export interface Verified {
  /** What is wrong, one sentence each; empty when nothing is. */
  findings: string[];
  rawBundles: number;
  entries: number;
  explanations: number;
  actions: number;
  /** Rejected entries that would fit now. */
  fitNow: number;
}

/** Looks at one consistent view of the ledger, which may be in use meanwhile. */
export function verifyLedger(ledger: Ledger): Verified {
  const findings = ledger.faults().map((fault) => `The file is damaged: ${fault}.`);
  const verified = ledger.read((reader) => {
    const raw = rawFindings(reader);
    const chain = verifyChain(reader);
    findings.push(...raw.findings);
    if (!chain.ok) findings.push(brokenChain(chain));
    const told = { rawBundles: raw.bundles, actions: chain.ok ? chain.rows : chain.firstBroken - 1 };
    // Nothing can be derived from raw records that are not whole.
    if (raw.findings.length > 0) return { ...told, entries: 0, explanations: 0, fitNow: 0 };
    const derived = derive(reader);
    findings.push(...domainFindings(reader, derived));
    return {
      ...told,
      entries: derived.entries,
      explanations: derived.explanations.size,
      fitNow: derived.fitNow.length,
    };
  });
  if (!ledger.write(isIndexSound)) findings.push('The search index does not say what the explanations say.');
  if (!ledger.read(areCountsSound))
    findings.push('The counts by state, day and market are not those of the explanations.');
  return { findings, ...verified };
}

/** The raw records: hashes, ranges without a hole from 0 to the committed cursor, entries as many as counted. */
export function rawFindings(reader: LedgerReader): { findings: string[]; bundles: number } {
  const { committed } = readCursors(reader);
  const findings: string[] = [];
  let bundles = 0;
  let cursor = 0;
  for (let raw = rawBundleAfter(reader, 0); raw !== undefined; raw = rawBundleAfter(reader, cursor)) {
    bundles += 1;
    if (raw.cursorFrom !== cursor) {
      findings.push(`The raw bundles go from cursor ${cursor} to ${raw.cursorFrom} without what is between.`);
    }
    try {
      const entries = entriesOf(raw);
      if (entries.length !== raw.entryCount || entries.at(-1)?.entry.cursor !== raw.cursorTo)
        findings.push(
          `The raw bundle after cursor ${raw.cursorFrom} does not hold the entries that it was committed with.`,
        );
    } catch (error) {
      if (!(error instanceof RawBundleDamagedError)) throw error;
      findings.push(error.message);
    }
    cursor = raw.cursorTo;
  }
  if (cursor !== committed)
    findings.push(`The committed cursor is ${committed}, and the raw bundles end at ${cursor}.`);
  const stored = reader.all(sqlite.selectFrom('raw_bundle').select('cursor_from')).length;
  if (stored !== bundles)
    findings.push(`${stored - bundles} raw bundles lie inside the ranges of others or beyond a hole.`);
  return { findings, bundles };
}

function domainFindings(reader: LedgerReader, derived: Derivation): string[] {
  const findings: string[] = [];
  const seen = new Set<string>();
  for (const row of explanationRows(reader)) {
    const { explanation_result_id: id } = row;
    seen.add(id);
    const wrong = rowFault(reader, row, derived);
    if (wrong !== null) findings.push(`The explanation ${id} ${wrong}.`);
  }
  for (const id of derived.explanations.keys()) if (!seen.has(id)) findings.push(`The explanation ${id} is missing.`);

  const held = new Map(
    reader.all(sqlite.selectFrom('held_invalidation').selectAll()).map((row) => [row.target_id, row]),
  );
  for (const [target, { cursor, reason }] of derived.withdrawn) {
    if (derived.explanations.has(target)) continue;
    const row = held.get(target);
    if (row?.cursor !== cursor || row.reason !== reason) findings.push(`The withdrawal of ${target} is not held.`);
    held.delete(target);
  }
  for (const target of held.keys()) findings.push(`A withdrawal of ${target} is held that does not wait for anything.`);

  const rejected = new Set(
    reader.all(sqlite.selectFrom('rejected_entry').select('cursor')).map(({ cursor }) => cursor),
  );
  for (const cursor of derived.misfits.keys())
    if (!rejected.delete(cursor))
      findings.push(`The entry at cursor ${cursor} does not fit and is not on record as rejected.`);
  for (const cursor of [...derived.fitNow, ...derived.superseded]) rejected.delete(cursor);
  for (const cursor of rejected)
    findings.push(`An entry at cursor ${cursor} is on record as rejected that was never committed.`);
  return findings;
}

/** Its raw record was set aside: nobody can put it on show until the cloud sends it again. */
export function isHidden({ cursor, status }: ExplanationTable): boolean {
  return cursor === NO_CURSOR && status === 'BLOCKED';
}

/** What is wrong with a row, to be said after its name; null when nothing is. */
function rowFault(reader: LedgerReader, row: ExplanationTable, derived: Derivation): string | null {
  const expected = derived.explanations.get(row.explanation_result_id);
  if (expected === undefined)
    return row.status === 'INVALIDATED' || isHidden(row) ? null : 'follows from no raw bundle';
  if (row.id !== explanationId(row.explanation_result_id)) return 'has an id that is not its own';
  if (row.cursor !== expected.cursor || digestOf(row) !== expected.digest)
    return `does not say what the entry at cursor ${expected.cursor} says`;
  const withdrawn = derived.withdrawn.has(row.explanation_result_id);
  if ((row.status === 'INVALIDATED') !== withdrawn)
    return withdrawn ? 'was withdrawn and does not say so' : 'says that it was withdrawn, and was not';
  const standing = standingOf(reader, row.id, firstText(reader, row.summary, expected));
  if (standing === undefined) return 'has no history';
  return isStanding(row, standing) ? null : 'does not stand where its history says';
}

/** The text that an explanation came with, looked up only where it has changed since. */
export function firstText(
  reader: LedgerReader,
  present: string,
  { updates, firstCursor }: { updates: number; firstCursor: number },
): string {
  return updates === 0 ? present : fieldsAt(reader, firstCursor).summary;
}

export function isStanding(row: Standing, told: Standing): boolean {
  return (
    row.status === told.status &&
    row.status_since === told.status_since &&
    row.published_summary === told.published_summary &&
    row.policy_version === told.policy_version &&
    row.decided === told.decided &&
    row.edited_summary === told.edited_summary &&
    row.comment === told.comment
  );
}

const PAGE = 500;

/** Every row, without holding them all in memory. */
export function* explanationRows(reader: LedgerReader): Generator<ExplanationTable & { number: number }> {
  for (let last = 0; ;) {
    const rows = reader.all(
      sqlite.selectFrom('explanation').selectAll().where('number', '>', last).orderBy('number').limit(PAGE),
    );
    for (const row of rows) yield row as ExplanationTable & { number: number };
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.number;
  }
}
