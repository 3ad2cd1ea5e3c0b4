/** Makes a dossier: reads the ledger, records the export, proves the rows of the audit log, and signs. */
import type { KeyObject } from 'node:crypto';
import { nextCheckpoints, signCheckpoint, type Checkpoint } from '../../../shared/service/checkpoints/checkpoint.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { actorName, recordAction, type Actor } from '../audit/audit.ts';
import { endOf, keepAllBlocks } from '../audit/checkpoint.ts';
import { logTree } from '../audit/log-tree.ts';
import type { LedgerReader, LedgerTransaction } from '../storage/ledger.ts';
import { collect, type Asked, type Collected } from './collect.ts';
import { seal } from './container.ts';
import { AUDIT, bundleName, PAGE, PDF, RECORD, SHOWN, type DossierAudit, type Manifest } from './contents.ts';
import { DossierError } from './errors.ts';
import { dossierPage } from './page.ts';

export interface DossierParts {
  ledger: { read<T>(work: (reader: LedgerReader) => T): T };
  write: <T>(work: (tx: LedgerTransaction) => T) => Promise<T>;
  /** The tenant's private key. */
  key: KeyObject;
  /** The lines of the checkpoints that were written elsewhere; empty where none are, or none can be read. */
  checkpoints: string;
  now: Date;
  actor: Actor;
  /** Gets the explanations that the dossier tells of; refuses by an error what the actor may not see. */
  admit(ids: readonly string[]): void;
}

/** A PDF that the desktop program has printed from the page. */
export interface Printed {
  pdf: Uint8Array;
  program: string;
}

export interface Dossier {
  /** A name for the file. */
  name: string;
  bytes: Uint8Array;
}

type Reading = Pick<DossierParts, 'ledger' | 'now' | 'actor' | 'admit'>;

/** The page of a dossier, to be printed. @throws as `collect` */
export function pageOf(parts: Reading, asked: Asked): string {
  return dossierPage(read(parts, asked), { madeAt: parts.now.toISOString(), madeBy: actorName(parts.actor) });
}

function read({ ledger, now, admit }: Reading, asked: Asked): Collected {
  const collected = ledger.read((reader) => collect(reader, asked, now));
  admit(collected.record.explanations.map(({ id }) => id));
  return collected;
}

/** @throws as `collect` */
export async function makeDossier(parts: DossierParts, asked: Asked, printed: Printed | null): Promise<Dossier> {
  const { write, key, now, actor } = parts;
  const at = now.toISOString();
  const collected = read(parts, asked);
  const { subject } = collected;
  await keepAllBlocks(write);
  // A file of years holds tens of thousands: read before the write lock.
  const kept = nextCheckpoints(
    parts.checkpoints,
    collected.rows.map(({ seq }) => seq),
  );
  // Its own row is under the checkpoint that is signed with it.
  const audit = await write((tx) => {
    recordAction(tx, {
      at,
      actor,
      action: 'dossier.make',
      targetType: subject.kind === 'SPAN' ? 'instrument' : 'explanation',
      targetId: subject.kind === 'SPAN' ? subject.ticker : subject.id,
      detail: {
        ...(subject.kind === 'SPAN' ? { spanFrom: subject.from, spanTo: subject.to } : {}),
        explanations: collected.record.explanations.length,
        bundles: collected.bundles.length,
        pdf: printed !== null,
      },
    });
    return auditOf(tx, collected, kept, parts);
  });
  const madeBy = actorName(actor);
  const files = new Map<string, Uint8Array>([
    [RECORD, json(collected.record)],
    [SHOWN, json(collected.shown)],
    [AUDIT, json(audit)],
    [PAGE, Buffer.from(dossierPage(collected, { madeAt: at, madeBy }))],
    ...collected.bundles.map((each) => [bundleName(each.cursor_from), each.body] as const),
    ...(printed === null ? [] : [[PDF, printed.pdf] as const]),
  ]);
  const about: Omit<Manifest, 'format' | 'v' | 'key' | 'files'> = {
    program: PRODUCT_VERSION,
    madeAt: at,
    madeBy,
    subject,
    pdf: printed?.program ?? null,
  };
  const of = subject.kind === 'SPAN' ? `${subject.ticker}-${subject.from.slice(0, 10)}` : subject.id;
  return { name: `dossier-${of.replaceAll(/[^\w-]/g, '_')}.zip`, bytes: seal(files, about, key) };
}

const json = (value: unknown): Uint8Array => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

/** Each row with the hashes that lead to a checkpoint of now, and to the one that was signed next after the row. */
function auditOf(
  tx: LedgerTransaction,
  { rows }: Collected,
  kept: readonly Checkpoint[],
  { key, now }: DossierParts,
): DossierAudit {
  const end = endOf(tx);
  if (end === null) throw new DossierError('The audit log is empty.');
  const tree = logTree(tx);
  // After a restore from a backup the file holds checkpoints of a log that is no more.
  const ours = kept.filter((one) => isOfLog(one, end.rows, tree));
  const fresh = signCheckpoint('console_action_log', end, now, key);
  const used = [...new Map([...ours, fresh].map((one) => [one.rows, one])).values()].toSorted(
    (one, other) => one.rows - other.rows,
  );
  return {
    checkpoints: used,
    rows: rows.map((row) => {
      const next = used.find((one) => one.rows >= row.seq);
      const chosen = new Set([next?.rows ?? end.rows, end.rows]);
      return { row, paths: Object.fromEntries([...chosen].map((size) => [size, tree.path(row.seq, size)])) };
    }),
  };
}

const isOfLog = (one: Checkpoint, rows: number, tree: ReturnType<typeof logTree>): boolean =>
  one.rows <= rows && tree.root(one.rows) === one.root;
