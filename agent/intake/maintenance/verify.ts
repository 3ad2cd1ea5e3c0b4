/** `intake verify`: checks a ledger. Changes nothing and blocks no writer. */
import type { KeyObject } from 'node:crypto';
import { UNTOLD, type Progress } from '../../../shared/service/long-work/progress.ts';
import { brokenChain, rowHash, verifyChain } from '../../ledger/audit/audit.ts';
import { brokenBlock } from '../../ledger/audit/log-tree.ts';
import { placeFault } from '../../ledger/journal/records.ts';
import { thingFindings } from '../../ledger/audit/thing-findings.ts';
import { readRecordKey, recordKeyFile } from '../../ledger/made/record-key.ts';
import { followHistory } from '../../ledger/explanations/history-check.ts';
import { factFaults } from '../../ledger/shown/shown-facts.ts';
import { heldTickers } from '../../ledger/serving/record.ts';
import type { Ledger, LedgerReader } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { rawBundleAfter, readCursors, type RawBundle } from '../../ledger/inbox/raw-bundles.ts';
import { otherBundles } from '../../ledger/inbox/told-bundles.ts';
import { areCountsSound, isIndexSound } from '../../ledger/explanations/search-index.ts';
import { CommittedEntries, entriesOf, RawBundleDamagedError } from '../apply/committed-entries.ts';
import { targetOf } from '../apply/entry.ts';
import { derive, type ProjectedExplanation, type Projection } from '../apply/projection.ts';
import { withdrawalsAfter } from '../apply/withdrawals.ts';
import { foundWordFaults, heldFaults, instrumentFaults, rejectedFaults, waitingEditFaults } from './domain-faults.ts';
import { explanationRows, rowFault } from '../apply/explanation-faults.ts';
import { provedBy } from '../receive/proved.ts';
import { isSignedBy, keptStatementFault } from '../receive/statement.ts';
import { STAGES } from './stages.ts';
import { unprovedNotices } from './unproved.ts';
import { unprovedTexts } from './unproved-texts.ts';
import { UNMARKED, type VerifyMark } from './verify-mark.ts';

export interface Verified {
  /** The faults, one sentence each; empty when there are none. */
  findings: string[];
  /** Notices that are no faults, one sentence each. */
  notices: string[];
  /** What only the host's record key can judge, which is not there: the ledger is not known to be sound (D199). */
  unjudged: string[];
  rawBundles: number;
  entries: number;
  explanations: number;
  actions: number;
}

type Verdict = Pick<Verified, 'findings' | 'notices' | 'unjudged'>;

export interface VerifyOptions {
  /** Told the stages of `verifyStages`. */
  progress?: Progress;
  /** What an earlier run has checked, and where this one puts down what it has. */
  mark?: VerifyMark;
  /** Absent: now. */
  now?: Date;
  /** The file of the record key, where the ledger is a copy that lies elsewhere. */
  recordKey?: string | null;
}

/**
 * Checks one consistent view of the ledger, which may be in use meanwhile.
 *
 * @param keys the vendor's, for the signatures of the statements that they made
 * @throws StoppedError
 */
export function verifyLedger(
  ledger: Ledger,
  keys: readonly KeyObject[] = [],
  { progress = UNTOLD, mark = UNMARKED, recordKey = recordKeyFile(ledger.file), now = new Date() }: VerifyOptions = {},
): Verified {
  progress.at(STAGES.pages, 0);
  const findings = mark.done.pages ? [] : ledger.faults().map((fault) => `The file is damaged: ${fault}.`);
  if (findings.length === 0) mark.reach({ pages: true });
  findings.push(...ledger.schemaFaults());
  const told: Verdict = { findings, notices: [], unjudged: [] };
  const verified = ledger.read((reader) => {
    const known = mark.done.received.cursor;
    const raw = rawFindings(reader, keys, { progress, mark });
    findings.push(...raw.findings, ...unprovedWaiting(reader, keys));
    const chain = verifyChain(
      reader,
      (rows) => {
        mark.reach({ rows: { seq: rows, hash: rowHash(reader, rows) } });
        progress.at(STAGES.chain, rows);
      },
      mark.done.rows,
    );
    if (!chain.ok) findings.push(brokenChain(chain));
    const block = chain.ok ? brokenBlock(reader, (rows) => progress.at(STAGES.chain, rows)) : null;
    if (block !== null)
      findings.push(`The kept root of block ${block} of the audit log does not follow from its rows.`);
    const cut = placeFault(reader);
    if (cut !== null) findings.push(`A decision is lost: ${cut}.`);
    const things = thingFindings(reader, readRecordKey(recordKey));
    findings.push(...things.findings);
    told.unjudged.push(...things.unjudged);
    told.notices.push(...unprovedNotices(reader, now));
    const history = followHistory(reader, (move) => progress.at(STAGES.history, move));
    findings.push(
      ...[...history.faults.values()].map(
        (fault) => `The history of an explanation differs from the audit log: ${fault}.`,
      ),
    );
    findings.push(...[...factFaults(reader)].map((fault) => `The record of what was shown is not sound: ${fault}.`));
    if (history.mended.length > 0) told.notices.push(mendedSentence(history.mended));
    const counts = { rawBundles: raw.bundles, actions: chain.ok ? chain.rows : chain.firstBroken - 1 };
    // Nothing can be derived from damaged raw records.
    if (raw.findings.length > 0) return { ...counts, entries: 0, explanations: 0 };
    // What an earlier run has found sound may have changed since.
    const faultsOf = statementFaults(reader, keys);
    const onBundle = (bundle: RawBundle): void => {
      if (bundle.cursorFrom < known) findings.push(...faultsOf(bundle));
    };
    const derived = derive(reader, { progress, onBundle });
    const isProved = keys.length === 0 ? undefined : provedBy(reader, { keys: () => keys });
    findings.push(...unprovedTexts(reader, derived, isProved));
    checkDomain(reader, derived, told, progress);
    if (derived.fitNow.length > 0)
      told.notices.push(`${derived.fitNow.length} rejected entries would fit now: run "intake replay".`);
    const held = heldTickers(reader);
    if (held > 0)
      findings.push(
        `No text of ${held} tickers is provided, because a rebuild is running or was interrupted: run it again.`,
      );
    if (!areCountsSound(reader))
      findings.push('The counts by state, day and market are not those of the explanations.');
    return {
      ...counts,
      entries: derived.entries,
      explanations: derived.explanations.size,
    };
  });
  // The comparison is one step, which ends with the process where it is stopped.
  mark.keep();
  progress.at(STAGES.index, 0);
  if (!isIndexSound(ledger)) findings.push('The search index differs from the explanations.');
  return { ...told, ...verified };
}

/** Ids that a sentence names. */
const MOST = 20;

function mendedSentence(ids: readonly string[]): string {
  const more = ids.length > MOST ? ` and ${ids.length - MOST} more` : '';
  return `The history of ${ids.length} explanations differed from the audit log when a rebuild put it on record: ${ids.slice(0, MOST).join(', ')}${more}.`;
}

/**
 * The raw records: hashes, statements, what the audit log tells of them, ranges without a hole from 0 to the committed
 * cursor, entries as many as counted.
 */
export function rawFindings(
  reader: LedgerReader,
  keys: readonly KeyObject[] = [],
  { progress = UNTOLD, mark = UNMARKED }: VerifyOptions = {},
): { findings: string[]; bundles: number } {
  const { committed, tenantId } = readCursors(reader);
  const findings: string[] = [];
  let { bundles, cursor } = mark.done.received;
  // Said once: the ledger names one tenant, and each record may contradict it.
  let isOther = false;
  const faultsOf = statementFaults(reader, keys, rawBundleAfter(reader, cursor - 1));
  for (let raw = rawBundleAfter(reader, cursor); raw !== undefined; raw = rawBundleAfter(reader, cursor)) {
    bundles += 1;
    if (raw.cursorFrom !== cursor) {
      findings.push(`The raw bundles have a gap between the cursors ${cursor} and ${raw.cursorFrom}.`);
    }
    try {
      const of = entriesOf(raw)[0]?.tenantId ?? tenantId;
      if (of !== tenantId && !isOther)
        findings.push(
          `The ledger names tenant ${tenantId}, and the raw bundle after cursor ${cursor} is of tenant ${of}.`,
        );
      isOther ||= of !== tenantId;
    } catch (error) {
      if (!(error instanceof RawBundleDamagedError)) throw error;
      findings.push(error.message);
    }
    findings.push(...faultsOf(raw));
    cursor = raw.cursorTo;
    if (findings.length === 0) mark.reach({ received: { bundles, cursor } });
    progress.at(STAGES.received, cursor);
  }
  for (const [place, row] of otherBundles(reader, () => progress.at(STAGES.history, 0)))
    findings.push(
      `The raw bundle after cursor ${place} is not the one of which row ${row} of the audit log tells: "intake repair" asks the cloud for it again.`,
    );
  if (cursor !== committed)
    findings.push(`The committed cursor is ${committed}, and the raw bundles end at ${cursor}.`);
  const stored =
    reader.first(sqlite.selectFrom('raw_bundle').select(({ fn }) => fn.countAll<number>().as('n')))?.n ?? 0;
  if (stored !== bundles)
    findings.push(`${stored - bundles} raw bundles lie inside the ranges of others or beyond a hole.`);
  return { findings, bundles };
}

/** Judges the statements of bundles in their order. Keys are replaced by newer ones, so one that is not at hand is an earlier one. */
function statementFaults(
  reader: LedgerReader,
  keys: readonly KeyObject[],
  before?: RawBundle,
): (raw: RawBundle) => string[] {
  const { applied, tenantId } = readCursors(reader);
  const isSigned = ({ statement }: RawBundle): boolean => statement !== null && isSignedBy(statement, keys);
  let hasSigned = before !== undefined && isSigned(before);
  return (raw) => {
    const stated = raw.statement === null ? null : keptStatementFault(raw.statement, { ...raw, tenantId }, keys);
    // `unprovedWaiting` reports the bundles that wait.
    const isLacking = hasSigned && raw.cursorTo <= applied && !isSigned(raw);
    hasSigned ||= isSigned(raw);
    return [
      ...(stated === null ? [] : [stated]),
      ...(isLacking
        ? [
            `No key at hand has signed the raw bundle after cursor ${raw.cursorFrom}, and one has signed an earlier one.`,
          ]
        : []),
    ];
  };
}

/**
 * What waits to be applied without a statement of a key at hand; without a key nothing can be said. No row of the audit log
 * names it yet, so the statement alone says that the vendor has sent it (D199).
 */
export function unprovedWaiting(reader: LedgerReader, keys: readonly KeyObject[]): string[] {
  const findings: string[] = [];
  if (keys.length === 0) return findings;
  const { applied } = readCursors(reader);
  const isProved = provedBy(reader, { keys: () => keys });
  for (let raw = rawBundleAfter(reader, applied); raw !== undefined; raw = rawBundleAfter(reader, raw.cursorTo))
    if (!isProved(raw))
      findings.push(
        `No verification key at hand has signed the raw bundle after cursor ${raw.cursorFrom}, which waits to be applied: name the key that has, ask the cloud again by "intake repair", or take an earlier backup.`,
      );
  return findings;
}

const UNEXPLAINED = 'and none was set aside after it: "intake rebuild" puts it on record';

/** Withdrawn after raw records were last set aside, or put on record as they stood: neither explains it. */
const withdrawnSince = (reader: LedgerReader): ReadonlySet<string | null> => {
  const log = sqlite.selectFrom('console_action_log');
  const mended = log
    .select(({ fn }) => fn.max('seq').as('seq'))
    .where('action', 'in', ['ledger.set-aside', 'ledger.rebuild'])
    .where('target_type', '=', 'ledger');
  const since = reader.first(mended)?.seq ?? 0;
  const moves = log.select('target_id').where('seq', '>', since).where('action', '=', 'explanation.invalidate');
  return new Set(reader.all(moves).map(({ target_id }) => target_id));
};

function checkDomain(
  reader: LedgerReader,
  derived: Projection,
  { findings, notices }: Verdict,
  progress: Progress,
): void {
  const { applied } = readCursors(reader);
  if (applied < derived.upTo)
    findings.push(`The applied cursor is ${applied}, and entries up to cursor ${derived.upTo} have been applied.`);
  // Not their ids: each row brings a text of its own.
  const seen = new Set<ProjectedExplanation>();
  const ahead = new Set<string>();
  for (const { found } of withdrawalsAfter(reader, derived.upTo)) for (const each of found) ahead.add(targetOf(each));
  const committed = new CommittedEntries(reader);
  let since: ReadonlySet<string | null> | undefined;
  for (const row of explanationRows(reader)) {
    const { explanation_result_id: id } = row;
    progress.at(STAGES.compared, row.number);
    const expected = derived.explanations.get(id);
    if (expected !== undefined) seen.add(expected);
    const fault = rowFault(reader, committed, row, derived);
    if (fault === null || (fault.isNotice && ahead.has(id))) continue;
    if (!fault.isNotice) findings.push(`The explanation ${id} ${fault.says}.`);
    else if ((since ??= withdrawnSince(reader)).has(row.id))
      findings.push(`The explanation ${id} ${fault.says}, ${UNEXPLAINED}.`);
    else notices.push(`The explanation ${id} ${fault.says}.`);
  }
  for (const [id, expected] of derived.explanations)
    if (!seen.has(expected)) findings.push(`The explanation ${id} is missing.`);
  for (const cursor of derived.withdrawalsAside)
    findings.push(
      `The withdrawal at cursor ${cursor} is on record as rejected, and it fits: "intake replay" applies it.`,
    );
  const faults = [
    ...heldFaults(reader, derived),
    ...rejectedFaults(reader, derived),
    ...instrumentFaults(reader, derived),
    ...foundWordFaults(reader),
    ...waitingEditFaults(reader),
  ];
  for (const fault of faults) (fault.isNotice === true ? notices : findings).push(fault.says);
}
