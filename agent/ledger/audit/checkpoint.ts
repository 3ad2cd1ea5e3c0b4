/**
 * The audit log as its checkpoints see it (D19).
 *
 * Written out: a partial index holds only beside its literal, and the builder has no `json_each(+?)`.
 */
import type { LogEnd, LogView } from '../../../shared/service/checkpoints/checkpoint.ts';
import type { AuditLog } from '../../../shared/service/checkpoints/schedule.ts';
import { chainEnd } from './audit.ts';
import { statement, type LedgerReader } from '../storage/ledger.ts';

const hashesOf = statement<[rows: string], { seq: number; hash: string }>(
  'SELECT seq, hash FROM console_action_log WHERE seq IN (SELECT value FROM json_each(+?))',
);
/** Written out, so that SQLite sees that the partial index holds. */
const restores = statement<[], { row: number; at: string }>(
  "SELECT seq AS row, at FROM console_action_log WHERE action = 'ledger.restore' ORDER BY seq",
);

export function auditLogOf(ledger: { read<T>(work: (reader: LedgerReader) => T): T }): AuditLog {
  return {
    name: 'console_action_log',
    end: () => Promise.resolve(ledger.read(endOf)),
    view: (rows) => Promise.resolve(ledger.read((reader) => viewOf(reader, rows))),
  };
}

function endOf(reader: LedgerReader): LogEnd | null {
  const { seq, hash } = chainEnd(reader);
  const [first] = reader.all(hashesOf('[1]'));
  return first === undefined ? null : { rows: seq, hash, first: first.hash };
}

export function viewOf(reader: LedgerReader, rows: readonly number[]): LogView {
  return {
    rows: chainEnd(reader).seq,
    hashes: new Map(reader.all(hashesOf(JSON.stringify(rows))).map(({ seq, hash }) => [seq, hash])),
    restores: reader.all(restores()),
  };
}
