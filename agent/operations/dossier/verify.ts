/**
 * Checks a dossier without a ledger and without a network (D168): each step proves one thing and says so; the first
 * thing that does not fit ends the check. The order follows the README of `agent/ledger/dossier`.
 */
import type { KeyObject } from 'node:crypto';
import { keyName, publicText } from '../../../shared/service/checkpoints/checkpoint.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { readJsonFile, UnfitDossierError, unseal } from '../../ledger/dossier/container.ts';
import { AUDIT, auditSchema, PAGE, RECORD, recordSchema, SHOWN, shownSchema } from '../../ledger/dossier/contents.ts';
import { dossierPage } from '../../ledger/dossier/page.ts';
import { checkAudit, type CheckpointFile } from './check-audit.ts';
import { checkHistory, checkScreened } from './check-decisions.ts';
import { checkReceived, type ReadEntries } from './check-received.ts';
import { checkShown } from './check-shown.ts';
import type { Opened } from './opened.ts';

export interface Pinned {
  /** The vendor's keys; null: statements are compared with the bytes, and no signature of the vendor is checked. */
  vendor: readonly KeyObject[] | null;
  /** The tenant's keys; null: the key that the manifest names. */
  tenant: readonly KeyObject[] | null;
  /** Checkpoints that were kept elsewhere; null: those in the dossier. */
  checkpoints: CheckpointFile | null;
}

/** A dossier that fits, with the entries that its bundles hold. */
export interface Verified extends Opened {
  entries: ReadEntries;
}

interface Signed {
  files: readonly unknown[];
  key: string;
  madeAt: string;
}

/**
 * @returns the keys that count for what the manifest names
 * @throws UnfitDossierError
 */
export function* checkKey(manifest: Signed, tenant: Pinned['tenant']): Generator<string, readonly string[]> {
  const keys = tenant?.map(publicText) ?? [manifest.key];
  if (!keys.includes(manifest.key))
    throw new UnfitDossierError(
      `The manifest is signed with the key ${keyName(manifest.key)}, and not with ${keys.map(keyName).join(' or ')}.`,
    );
  yield `The manifest names ${manifest.files.length} files, and the key ${keyName(manifest.key)} has signed it at ${manifest.madeAt}.`;
  return keys;
}

/**
 * Yields what has been proved, line by line; a line that begins with "Not checked" names what the caller did not pin.
 *
 * @returns the dossier, of which all that can be checked fits
 * @throws UnfitDossierError
 */
export function* verifyDossier(bytes: Uint8Array, pinned: Pinned): Generator<string, Verified> {
  const { files, manifest } = unseal(bytes);
  const keys = yield* checkKey(manifest, pinned.tenant);
  if (pinned.tenant === null)
    yield "Not checked: whose key that is. Give --tenant-key with the tenant's public key that you keep.";
  const opened: Opened = {
    manifest,
    files,
    record: readJsonFile(RECORD, files.get(RECORD), recordSchema),
    shown: readJsonFile(SHOWN, files.get(SHOWN), shownSchema),
    audit: readJsonFile(AUDIT, files.get(AUDIT), auditSchema),
  };
  const entries: ReadEntries = yield* checkReceived(opened, pinned.vendor);
  yield* checkHistory(opened, entries);
  yield* checkScreened(opened, entries);
  yield* checkAudit(opened, keys, pinned.checkpoints);
  yield* checkShown(opened, entries);
  yield* checkPage(opened);
  return { ...opened, entries };
}

function* checkPage({ manifest, files, record, shown, audit }: Opened): Generator<string> {
  if (manifest.program === PRODUCT_VERSION) {
    const collected = { subject: manifest.subject, record, shown, bundles: [], rows: audit.rows.map(({ row }) => row) };
    const page = Buffer.from(dossierPage(collected, manifest));
    if (!page.equals(files.get(PAGE) ?? new Uint8Array()))
      throw new UnfitDossierError(`${PAGE} does not say what the JSON files say.`);
    yield `${PAGE} says what the JSON files say.`;
  } else
    yield `Not checked: ${PAGE} was made by version ${manifest.program}; only its SHA-256 is signed. Ask that version, or read the JSON files.`;
}
