/**
 * How far a stopped `verify` has come (D183): a small file beside the ledger, so that the next run goes on there. It
 * holds sound parts only, under the seal of the host, counts for a day, and only for the same file, program and keys while nothing has rewritten
 * what it covers.
 */
import { hash, type KeyObject } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { CHAIN_BEGIN, chainEnd, goesOnFrom } from '../../ledger/audit/audit.ts';
import { readRecordKey, recordKeyFile, type RecordKey } from '../../ledger/made/record-key.ts';
import { readCursors } from '../../ledger/inbox/raw-bundles.ts';
import type { Ledger, LedgerReader } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';

const place = z.object({ seq: z.number().int().nonnegative(), hash: z.string() });
const doneSchema = z.object({
  /** Whether SQLite's own check of all pages found nothing. */
  pages: z.boolean(),
  /** The sound raw bundles from the first on, and the end of the last. */
  received: z.object({ bundles: z.number().int().nonnegative(), cursor: z.number().int().nonnegative() }),
  /** The last row of the audit log up to which the chain holds. */
  rows: place,
});
type Done = z.infer<typeof doneSchema>;
const markSchema = z.object({
  /** The HMAC of the rest with the host's record key: a mark written by hand would pass over what was forged (D199). */
  proof: z.string(),
  at: z.iso.datetime(),
  /** The file, program, keys, and the tenant that every raw bundle must name. */
  basis: z.string(),
  /** The end of the audit log, after which a row about the ledger would end the mark. */
  end: place,
  done: doneSchema,
});

type Mark = z.infer<typeof markSchema>;

export interface VerifyMark {
  readonly done: Done;
  /** What is known to be sound from now on. */
  reach(more: Partial<Done>): void;
  /** Puts the mark down; a folder that cannot be written keeps none, and a host without its record key. */
  keep(): void;
}

const NOTHING: Done = { pages: false, received: { bundles: 0, cursor: 0 }, rows: CHAIN_BEGIN };

/** A run that goes on from nothing and leaves nothing. */
export const UNMARKED: VerifyMark = { done: NOTHING, reach: () => undefined, keep: () => undefined };

const LIFE_MS = 86_400_000;

export interface ResumedMark extends VerifyMark {
  /** When the earlier run began; null: this one begins anew. */
  readonly since: string | null;
  forget(): void;
}

export function markOf(ledger: Ledger, keys: readonly KeyObject[], now: Date): ResumedMark {
  const file = `${ledger.file}.verify-mark`;
  const { dev, ino } = statSync(ledger.file);
  const named = keys.map((key) => key.export({ type: 'spki', format: 'pem' }).toString());
  const basis = hash('sha256', JSON.stringify([PRODUCT_VERSION, dev, ino, named, ledger.read(readCursors).tenantId]));
  const key = readRecordKey(recordKeyFile(ledger.file));
  const kept = key === null ? null : readMark(file, key);
  const isValid =
    kept !== null &&
    kept.basis === basis &&
    Math.abs(now.getTime() - Date.parse(kept.at)) < LIFE_MS &&
    ledger.read((reader) => isUntouched(reader, kept.end));
  const end = chainEnd(ledger);
  let done = isValid ? kept.done : NOTHING;
  return {
    since: isValid ? kept.at : null,
    get done() {
      return done;
    },
    reach: (more) => void (done = { ...done, ...more }),
    keep: () => {
      if (key === null) return;
      try {
        const mark = { at: now.toISOString(), basis, end, done };
        writeFileSync(file, JSON.stringify({ ...mark, proof: proofOf(mark, key) } satisfies Mark), { mode: 0o600 });
      } catch {
        // The next run begins anew.
      }
    },
    forget: () => rmSync(file, { force: true }),
  };
}

function readMark(file: string, key: RecordKey): Mark | null {
  try {
    const mark = markSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return mark.proof === proofOf(mark, key) ? mark : null;
  } catch {
    return null;
  }
}

const proofOf = ({ at, basis, end, done }: Omit<Mark, 'proof'>, key: RecordKey): string =>
  key.mac(JSON.stringify(['verify-mark', at, basis, end, done]));

/** Whether no command has rewritten raw bundles or the ledger since. */
function isUntouched(reader: LedgerReader, end: Done['rows']): boolean {
  if (!goesOnFrom(reader, end)) return false;
  const rewriting = sqlite
    .selectFrom('console_action_log')
    .select('seq')
    .where('seq', '>', end.seq)
    .where('action', 'like', 'ledger.%')
    .limit(1);
  return reader.first(rewriting) === undefined;
}
