/** Makes a dossier: reads the ledger, records the export, proves the rows of the audit log, and signs. */
import type { KeyObject } from 'node:crypto';
import { leadsTo } from '../../../shared/service/checkpoints/tree.ts';
import { nextCheckpoints, signCheckpoint, type Checkpoint } from '../../../shared/service/checkpoints/checkpoint.ts';
import { kstDate } from '../../../shared/time/kst.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { actorName, recordAction, type Actor } from '../audit/audit.ts';
import { endOf, keepAllBlocks } from '../audit/checkpoint.ts';
import { logTree } from '../audit/log-tree.ts';
import { fitsHash } from '../audit/row-hash.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { collect, bundleEntryOf, type SubjectQuery } from './collect.ts';
import type { Collected } from './collected.ts';
import { seal } from './container.ts';
import { AUDIT, bundleName, PAGE, RECORD, SHOWN, type DossierAudit, type Manifest } from './contents.ts';
import { DossierError } from './errors.ts';
import { dossierPage } from './page.ts';

interface Proving {
  /** The tenant's private key. */
  key: KeyObject;
  /** The checkpoints that were written elsewhere; empty where none are, or none can be read. */
  checkpoints: readonly Checkpoint[];
}

export interface DossierParts extends Proving {
  ledger: { read<T>(work: (reader: LedgerReader) => T): T };
  now: Date;
  actor: Actor;
  write: <T>(work: (tx: LedgerTransaction) => T) => Promise<T>;
}

export interface Dossier {
  /** A name for the file. */
  name: string;
  bytes: Uint8Array;
}

/** @throws as `collect` */
export async function makeDossier(parts: DossierParts, asked: SubjectQuery): Promise<Dossier> {
  const { ledger, write, now, actor } = parts;
  const collected = ledger.read((reader) => collect(reader, asked, now));
  const { subject } = collected;
  await keepAllBlocks(write);
  const kept = storedFor(collected, parts);
  // Its own row is under the checkpoint that is signed with it.
  const audit = await write((tx) => {
    recordAction(tx, {
      at: now.toISOString(),
      actor,
      action: 'dossier.make',
      targetType: subject.kind === 'SPAN' ? 'instrument' : 'explanation',
      targetId: subject.kind === 'SPAN' ? subject.ticker : subject.id,
      detail: {
        ...(subject.kind === 'SPAN' ? { spanFrom: subject.from, spanTo: subject.to } : {}),
        explanations: collected.record.explanations.length,
        bundles: collected.bundles.length,
      },
    });
    return auditOf(tx, collected, kept, parts);
  });
  const of = subject.kind === 'SPAN' ? `${subject.ticker}-${kstDate(new Date(subject.from))}` : subject.id;
  return {
    name: `dossier-${of.replaceAll(/[^\w-]/g, '_')}.zip`,
    bytes: sealed(collected, audit, { now, madeBy: actorName(actor), key: parts.key }),
  };
}

/**
 * A dossier of an archive (D174), from one view of the ledger. It writes nothing: the archive has one row on record.
 *
 * @throws as `collect`
 */
export function dossierWithin(
  reader: LedgerReader,
  asked: SubjectQuery,
  { now, madeBy, ...proving }: Proving & { now: Date; madeBy: string },
): Uint8Array {
  const collected = collect(reader, asked, now);
  const audit = auditOf(reader, collected, storedFor(collected, proving), { ...proving, now });
  return sealed(collected, audit, { now, madeBy, key: proving.key });
}

/** A file of years holds tens of thousands: chosen before the write lock. */
const storedFor = ({ rows }: Collected, { checkpoints }: Proving): Checkpoint[] =>
  nextCheckpoints(
    checkpoints,
    rows.map(({ seq }) => seq),
  );

function sealed(
  collected: Collected,
  audit: DossierAudit,
  { now, madeBy, key }: { now: Date; madeBy: string; key: KeyObject },
): Uint8Array {
  const madeAt = now.toISOString();
  const files = new Map<string, Uint8Array>([
    [RECORD, json(collected.record)],
    [SHOWN, json(collected.shown)],
    [AUDIT, json(audit)],
    [PAGE, Buffer.from(dossierPage(collected, { madeAt, madeBy }))],
    ...collected.bundles.map((each) => [bundleName(bundleEntryOf(each)), each.body] as const),
  ]);
  const about: Omit<Manifest, 'format' | 'v' | 'key' | 'files'> = {
    program: PRODUCT_VERSION,
    madeAt,
    madeBy,
    subject: collected.subject,
  };
  return seal(files, about, key);
}

const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

/** Each row with the hashes that lead to a checkpoint of now, and to the one that was signed next after the row. */
function auditOf(
  reader: LedgerReader,
  { rows }: Collected,
  kept: readonly Checkpoint[],
  { key, now }: { key: KeyObject; now: Date },
): DossierAudit {
  const end = endOf(reader);
  if (end === null) throw new DossierError('The audit log is empty.');
  const tree = logTree(reader);
  // After a restore from a backup the file holds checkpoints of a log that is no more.
  const ours = kept.filter((one) => isOfLog(one, end.rows, tree));
  const fresh = signCheckpoint('console_action_log', end, now, key);
  const used = [...new Map([...ours, fresh].map((one) => [one.rows, one])).values()].toSorted(
    (one, other) => one.rows - other.rows,
  );
  return {
    checkpoints: used,
    rows: rows.map((row) => {
      const chosen = [...new Set([used.find((one) => one.rows >= row.seq) ?? fresh, fresh])];
      const paths = chosen.map(({ rows: size, root = '' }) => ({ size, root, path: tree.path(row.seq, size) }));
      const isProved = paths.every(({ size, root, path }) =>
        leadsTo(root, { row: row.seq, rowHash: row.hash, rows: size, path }),
      );
      if (!fitsHash(row) || !isProved)
        throw new DossierError(
          `Row ${row.seq} of the audit log was changed, so nothing can be proved by it: run "audit verify" on the ledger's host.`,
        );
      return { row, paths: Object.fromEntries(paths.map(({ size, path }) => [size, path])) };
    }),
  };
}

const isOfLog = (one: Checkpoint, rows: number, tree: ReturnType<typeof logTree>): boolean =>
  one.rows <= rows && tree.root(one.rows) === one.root;
