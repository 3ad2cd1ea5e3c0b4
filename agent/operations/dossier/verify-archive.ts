/**
 * Checks the archive of an inspector's request (D174): its manifest, each dossier in it, that list and counts are those
 * of the dossiers, and that these are what the request meant, of one tenant. The first thing that does not fit ends the check.
 */
import { dossierName, LIST, OpenedArchive, type Pieces } from '../../ledger/inspection/archive.ts';
import { outcomesOf } from '../../ledger/inspection/find.ts';
import { listHead, listRow, statusOf } from '../../ledger/inspection/list-row.ts';
import { keyName } from '../../../shared/service/checkpoints/checkpoint.ts';
import type { InspectionQuery } from '../../../shared/wire/console/inspection.ts';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import type { ExplanationStatus } from '../../../shared/wire/console/constants.ts';
import { unmet } from './check-query.ts';
import { checkKey, verifyDossier, type Pinned, type Verified } from './verify.ts';

/**
 * Yields what has been proved, line by line; a line that begins with "Not checked" names what the caller did not pin,
 * or what no file can prove.
 *
 * @throws UnfitDossierError
 */
export function* verifyArchive(pieces: Pieces, pinned: Pinned): Generator<string> {
  const archive = new OpenedArchive(pieces);
  const { manifest } = archive;
  yield* checkKey(manifest, pinned.tenant);
  let list = '';
  let again = listHead(manifest.language);
  const states: ExplanationStatus[] = [];
  const tenants = new Set<number | null>();
  const unchecked = new Map<string, number>();
  for (const { name, content } of archive.files()) {
    if (name === LIST) {
      list = Buffer.from(content).toString('utf8');
      continue;
    }
    try {
      const lines = verifyDossier(content, pinned);
      let next = lines.next();
      for (; next.done !== true; next = lines.next())
        if (next.value.startsWith('Not checked')) unchecked.set(next.value, (unchecked.get(next.value) ?? 0) + 1);
      const explanation = explanationOf(next.value, manifest.query);
      checkTenant(next.value, manifest.key, pinned);
      tenants.add(next.value.record.tenantId);
      if (tenants.size > 1)
        throw new UnfitDossierError(`It is of the tenant ${next.value.record.tenantId}, and others are of another.`);
      if (name !== dossierName(explanation.id)) throw new UnfitDossierError(`The dossier is of ${explanation.id}.`);
      again += listRow(explanation, manifest.language);
      states.push(statusOf(explanation));
    } catch (error) {
      if (!(error instanceof UnfitDossierError)) throw error;
      throw new UnfitDossierError(`${name}: ${error.message}`);
    }
  }
  yield `Each of the ${states.length} dossiers fits.`;
  yield 'They are of one tenant, and each is of an explanation that the request means.';
  const { total, outcomes } = manifest.counts;
  if (total !== states.length || JSON.stringify(outcomes) !== JSON.stringify(outcomesOf(states)))
    throw new UnfitDossierError('The counts of the manifest are not those of the dossiers.');
  if (list !== again) throw new UnfitDossierError(`${LIST} does not say what the dossiers say.`);
  yield `${LIST} says what the dossiers say, and the manifest counts them.`;
  for (const [line, times] of unchecked) yield `${line} (${times} of ${states.length} dossiers)`;
  yield 'Not checked: whether the ledger holds further explanations that the request means. Ask for the counts again.';
}

function explanationOf({ manifest, record, entries }: Verified, query: InspectionQuery) {
  const [explanation] = record.explanations;
  if (explanation === undefined || manifest.subject.kind !== 'EXPLANATION')
    throw new UnfitDossierError('The dossier is not of one explanation.');
  const other = unmet(explanation, entries.get(explanation.id) ?? [], query);
  if (other !== null) throw new UnfitDossierError(`The request means explanations ${other}, and this one never was.`);
  return explanation;
}

/** Keys that the reader keeps are the tenant's: a change of the key may lie between two dossiers then. */
function checkTenant({ manifest }: Verified, key: string, { tenant }: Pinned): void {
  if (tenant === null && manifest.key !== key)
    throw new UnfitDossierError(
      `It is signed with the key ${keyName(manifest.key)}, and the archive with ${keyName(key)}. After a change of the key give --tenant-key with both public keys.`,
    );
}
