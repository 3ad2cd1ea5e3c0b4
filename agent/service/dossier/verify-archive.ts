/**
 * Checks the archive of an inspector's request (D174): its manifest, each dossier in it, and that its list and counts
 * are those of the dossiers. The first thing that does not fit ends the check.
 */
import { keyName, publicText } from '../../../shared/service/checkpoints/checkpoint.ts';
import { dossierName, LIST, OpenedArchive, type Pieces } from '../../ledger/inspection/archive.ts';
import { outcomesOf } from '../../ledger/inspection/find.ts';
import { listHead, listRow, statusOf } from '../../ledger/inspection/list-row.ts';
import { readJsonFile, UnfitDossierError, unseal } from '../../ledger/dossier/container.ts';
import { RECORD, recordSchema } from '../../ledger/dossier/contents.ts';
import type { ExplanationStatus } from '../../../shared/wire/console/constants.ts';
import { verifyDossier, type Pinned } from './verify.ts';

/**
 * @returns what has been proved, line by line; a line that begins with "Not checked" names what the caller did not pin,
 * or what no file can prove
 * @throws UnfitDossierError
 */
export function* verifyArchive(pieces: Pieces, pinned: Pinned): Generator<string> {
  const archive = new OpenedArchive(pieces);
  const { manifest } = archive;
  const keys = pinned.tenant?.map(publicText) ?? [manifest.key];
  if (!keys.includes(manifest.key))
    throw new UnfitDossierError(
      `The manifest is signed with the key ${keyName(manifest.key)}, and not with ${keys.map(keyName).join(' or ')}.`,
    );
  yield `The manifest names ${manifest.files.length} files, and the key ${keyName(manifest.key)} has signed it at ${manifest.madeAt}.`;
  let list = '';
  let again = listHead(manifest.language);
  const states: ExplanationStatus[] = [];
  const unchecked = new Map<string, number>();
  for (const { name, content } of archive.files()) {
    if (name === LIST) {
      list = Buffer.from(content).toString('utf8');
      continue;
    }
    try {
      for (const line of verifyDossier(content, pinned))
        if (line.startsWith('Not checked')) unchecked.set(line, (unchecked.get(line) ?? 0) + 1);
      const explanation = explanationOf(content);
      if (name !== dossierName(explanation.id)) throw new UnfitDossierError(`The dossier is of ${explanation.id}.`);
      again += listRow(explanation, manifest.language);
      states.push(statusOf(explanation));
    } catch (error) {
      if (!(error instanceof UnfitDossierError)) throw error;
      throw new UnfitDossierError(`${name}: ${error.message}`);
    }
  }
  yield `Each of the ${states.length} dossiers fits.`;
  const { total, outcomes } = manifest.counts;
  if (total !== states.length || JSON.stringify(outcomes) !== JSON.stringify(outcomesOf(states)))
    throw new UnfitDossierError('The counts of the manifest are not those of the dossiers.');
  if (list !== again) throw new UnfitDossierError(`${LIST} does not say what the dossiers say.`);
  yield `${LIST} says what the dossiers say, and the manifest counts them.`;
  for (const [line, times] of unchecked) yield `${line} (${times} of ${states.length} dossiers)`;
  yield 'Not checked: whether the ledger holds further explanations that the request means. Ask for the counts again.';
}

function explanationOf(content: Uint8Array) {
  const { files, manifest } = unseal(content);
  const [explanation] = readJsonFile(RECORD, files.get(RECORD), recordSchema).explanations;
  if (explanation === undefined || manifest.subject.kind !== 'EXPLANATION')
    throw new UnfitDossierError('The dossier is not of one explanation.');
  return explanation;
}
