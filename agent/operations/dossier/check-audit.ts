/** The rows of the audit log: each fits its hash, and leads to the tree that a checkpoint signs (D167). */
import {
  CheckpointError,
  fits,
  keyName,
  readCheckpoints,
  type Checkpoint,
} from '../../../shared/service/checkpoints/checkpoint.ts';
import { leadsTo } from '../../../shared/service/checkpoints/tree.ts';
import { fitsHash } from '../../ledger/audit/row-hash.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import type { DossierAudit } from '../../ledger/dossier/contents.ts';
import type { Opened } from './opened.ts';

const LOG = 'console_action_log';
/** Between the time of a change and its commit lies a batch, or the wait for a disk. */
const MOST_LATE_MS = 60_000;

/** A log proves each of its rows, and not that it has no further one about a subject. */
const LEFT_OUT =
  'Not checked: whether something was left out: further rows of the audit log, as of a later correction, a switch or a restore, or a whole explanation of the ticker that was let out, with its moves and their rows, in whose place another is told: no file can prove that nothing was left out. Compare with the list of the audit log in the console, or ask for a new dossier.';

/** Checkpoints that were kept elsewhere, as their file tells them. */
export interface CheckpointFile {
  text: string;
}

/**
 * @param keys the tenant's, as checkpoints hold them
 * @throws UnfitDossierError
 */
export function* checkAudit(
  { audit, manifest }: Opened,
  keys: readonly string[],
  kept: CheckpointFile | null,
): Generator<string> {
  const bySize = new Map<string, Checkpoint>();
  const strangers = new Set<string>();
  for (const one of audit.checkpoints) {
    if (one.log !== LOG || one.root === undefined || !fits(one))
      throw new UnfitDossierError(`The signature of the checkpoint of ${one.at} does not fit it.`);
    if (!keys.includes(one.key)) strangers.add(one.key);
    bySize.set(String(one.rows), one);
  }
  const elsewhere = kept === null ? null : readCheckpointFile(kept, keys);
  let younger = 0;
  let before: { seq: number; hash: string } = { seq: 0, hash: '' };
  for (const { row, paths } of audit.rows) {
    if (!fitsHash(row)) throw new UnfitDossierError(`The content of row ${row.seq} does not fit its hash.`);
    if (row.seq <= before.seq) throw new UnfitDossierError(`Row ${row.seq} stands behind row ${before.seq}.`);
    if (row.seq === before.seq + 1 && before.seq > 0 && row.prev_hash !== before.hash)
      throw new UnfitDossierError(`Row ${row.seq} does not follow the row before it.`);
    before = row;
    const proofs = Object.entries(paths).map(([size, path]) => ({ checkpoint: bySize.get(size), path }));
    if (proofs.length === 0) throw new UnfitDossierError(`Nothing leads from row ${row.seq} to a checkpoint.`);
    for (const { checkpoint, path } of proofs) {
      const proof = { row: row.seq, rowHash: row.hash, rows: checkpoint?.rows ?? 0, path };
      if (checkpoint?.root === undefined || !leadsTo(checkpoint.root, proof))
        throw new UnfitDossierError(`Row ${row.seq} does not lead to the checkpoint that it names.`);
    }
    if (proofs.every(({ checkpoint }) => strangers.has(checkpoint?.key ?? '')))
      throw new UnfitDossierError(
        `Row ${row.seq} leads to no checkpoint that is signed with ${keys.map(keyName).join(' or ')}.`,
      );
    const isElsewhere = ({ checkpoint }: (typeof proofs)[number]): boolean =>
      checkpoint !== undefined && elsewhere?.roots.get(checkpoint.rows)?.has(checkpoint.root ?? '') === true;
    if (elsewhere === null || proofs.some(isElsewhere)) continue;
    if (row.seq <= Math.max(...elsewhere.roots.keys()))
      throw new UnfitDossierError(`Row ${row.seq} leads to no checkpoint of the file given: they are of another log.`);
    younger += 1;
  }
  const last = audit.checkpoints.at(-1);
  checkMaking(manifest, last);
  const late = lateRows(audit, [...audit.checkpoints, ...(elsewhere?.all ?? [])]);
  yield `${audit.rows.length} rows of the audit log fit their hashes and lead to ${audit.checkpoints.length} signed checkpoints, the last of ${last?.at ?? ''} for row ${last?.rows ?? 0}.`;
  if (strangers.size > 0)
    yield `Not checked: checkpoints of the key ${[...strangers].map(keyName).join(' and ')}. After a change of the key give --tenant-key with the earlier public key too.`;
  if (elsewhere === null)
    yield 'Not checked: whether these checkpoints are those of their time. Give --checkpoint with the file that was kept elsewhere.';
  else {
    yield `${audit.rows.length - younger} rows lead to a checkpoint of the file given.`;
    if (younger > 0)
      yield `Not checked: ${younger} rows are younger than the last checkpoint of the file given. Take a later copy of it.`;
  }
  if (late.length > 0)
    yield `Not checked: the times of ${late.length} rows, the first of them row ${late[0]?.seq ?? 0}, which says ${late[0]?.at ?? ''}: an earlier row was under a checkpoint that is signed for a later time. The host's clock was set back, a restore brought the act back, or the time is not that of the act.`;
  yield LEFT_OUT;
}

/** The rows that say an earlier time than a checkpoint of the rows before them. */
function lateRows({ rows }: DossierAudit, checkpoints: readonly Checkpoint[]): DossierAudit['rows'][number]['row'][] {
  const ascending = checkpoints.toSorted((one, other) => one.rows - other.rows);
  let next = 0;
  let latest = 0;
  return rows.flatMap(({ row }) => {
    for (let one = ascending[next]; one !== undefined && one.rows < row.seq; one = ascending[(next += 1)])
      latest = Math.max(latest, Date.parse(one.at));
    return latest - Date.parse(row.at) > MOST_LATE_MS ? [row] : [];
  });
}

/** A file is read and signed with a checkpoint of one moment. @throws UnfitDossierError */
function checkMaking({ madeAt, key }: Opened['manifest'], last: Checkpoint | undefined): void {
  if (last?.key !== key || last.at !== madeAt)
    throw new UnfitDossierError(
      `The file says that it was made at ${madeAt}, and its last checkpoint was signed at ${last?.at ?? ''}.`,
    );
}

/** The checkpoints, and their roots by the number of rows. */
function readCheckpointFile(
  { text }: CheckpointFile,
  keys: readonly string[],
): { all: readonly Checkpoint[]; roots: Map<number, Set<string>> } {
  let read: ReturnType<typeof readCheckpoints>;
  try {
    read = readCheckpoints(text, LOG);
  } catch (error) {
    if (error instanceof CheckpointError) throw new UnfitDossierError(`--checkpoint: ${error.message}`);
    throw error;
  }
  if (!keys.includes(read.key))
    throw new UnfitDossierError(
      `--checkpoint: the file is signed with the key ${keyName(read.key)}, and not with ${keys.map(keyName).join(' or ')}.`,
    );
  const roots = new Map<number, Set<string>>();
  for (const { rows, root } of read.checkpoints)
    if (root !== undefined) roots.set(rows, (roots.get(rows) ?? new Set()).add(root));
  if (roots.size === 0) throw new UnfitDossierError('--checkpoint: the file holds no checkpoint that signs a tree.');
  return { all: read.checkpoints, roots };
}
