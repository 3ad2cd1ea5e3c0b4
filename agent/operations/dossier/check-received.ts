/** The received bundles: their bytes, the vendor's statement about them, and the entries of each explanation in them. */
import type { KeyObject } from 'node:crypto';
import { UnfitDossierError } from '../../ledger/dossier/container.ts';
import { bundleName, type DossierBundle, type DossierExplanation } from '../../ledger/dossier/contents.ts';
import { isIntact } from '../../ledger/inbox/raw-archive.ts';
import { explanationId, sameFields } from '../../ledger/explanations/explanations.ts';
import { entriesOf, readCommitted } from '../../intake/apply/committed-entries.ts';
import { targetOf } from '../../intake/apply/entry.ts';
import { checkEnvelope } from '../../intake/receive/envelope.ts';
import { keptStatementFault, readStatement } from '../../intake/receive/statement.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import type { Opened } from './opened.ts';
import { type VendorFields, vendorFields } from '../../ledger/storage/vendor-fields.ts';

export type ReadOne =
  | { kind: 'NEW'; cursor: number; fields: VendorFields; entry: NewEntry }
  | { kind: 'INVALIDATION'; cursor: number; reason: string };

/** The entries of each explanation, in the order of their cursors. */
export type ReadEntries = ReadonlyMap<string, readonly ReadOne[]>;

/** @throws UnfitDossierError */
export function* checkReceived(
  { files, record }: Opened,
  vendor: readonly KeyObject[] | null,
): Generator<string, ReadEntries> {
  const names = new Set(record.bundles.map(bundleName));
  for (const name of files.keys())
    if (name.startsWith('bundles/') && !names.has(name))
      throw new UnfitDossierError(`record.json does not name ${name}.`);
  const found = new Map<string, ReadOne[]>();
  for (const bundle of record.bundles) {
    const body = files.get(bundleName(bundle));
    if (body === undefined)
      throw new UnfitDossierError(`The file holds no ${bundleName(bundle)}, which record.json names.`);
    checkBundle(bundle, body, record.tenantId, vendor);
    for (const [id, one] of entriesIn(bundle, body)) found.set(id, [...(found.get(id) ?? []), one]);
  }
  const signed = record.bundles.filter(({ statement }) => statement !== null).length;
  yield `${record.bundles.length} received bundles fit their SHA-256 and the rules of the envelope.`;
  if (vendor === null)
    yield `Not checked: the vendor's signature over the bytes (${signed} of ${record.bundles.length} have a statement). Give --vendor-key.`;
  else yield `The vendor has signed the bytes of each of them.`;
  for (const explanation of record.explanations) checkEntries(explanation, found.get(explanation.id) ?? []);
  yield `The entries of ${record.explanations.length} explanations are in the bundles, with the fields on record.`;
  return found;
}

function checkBundle(
  bundle: DossierBundle,
  body: Uint8Array,
  tenantId: number | null,
  vendor: readonly KeyObject[] | null,
): void {
  const { cursorFrom, statement } = bundle;
  const sha256 = Buffer.from(bundle.sha256, 'hex');
  const name = bundleName(bundle);
  if (!isIntact({ body, sha256 })) throw new UnfitDossierError(`${name} does not fit the SHA-256 of its reception.`);
  const checked = checkEnvelope(body, { after: cursorFrom, tenantId });
  if (checked.kind !== 'BUNDLE')
    throw new UnfitDossierError(
      `${name} is no bundle: ${checked.kind === 'VIOLATION' ? checked.reason : 'it is empty.'}`,
    );
  const { bundle_id, cursor_to, entries } = checked.bundle;
  if (bundle_id !== bundle.bundleId || cursor_to !== bundle.cursorTo || entries.length !== bundle.entryCount)
    throw new UnfitDossierError(`record.json tells ${name} otherwise than its bytes.`);
  if (statement === null) {
    if (vendor !== null) throw new UnfitDossierError(`${name} was received without a statement of the vendor.`);
    return;
  }
  const fault = keptStatementFault(statement, { cursorFrom, sha256, tenantId }, []);
  if (fault !== null) throw new UnfitDossierError(fault);
  if (vendor === null) return;
  const read = readStatement(statement, vendor);
  if (typeof read === 'string') throw new UnfitDossierError(`${name}: ${read}`);
  if (read.status !== 200)
    throw new UnfitDossierError(`${name}: the statement is about an answer of status ${read.status}.`);
}

function* entriesIn(bundle: DossierBundle, body: Uint8Array): Generator<[id: string, ReadOne]> {
  const raw = {
    cursorFrom: bundle.cursorFrom,
    cursorTo: bundle.cursorTo,
    entryCount: bundle.entryCount,
    body,
    sha256: Buffer.from(bundle.sha256, 'hex'),
    statement: bundle.statement,
    receivedAt: bundle.receivedAt,
    archive: null,
  };
  for (const each of entriesOf(raw)) {
    const { cursor } = each.entry;
    const read = readCommitted(each);
    if (read.kind === 'NEW') {
      const fields = vendorFields(read.entry, each.text);
      yield [explanationId(fields.explanation_result_id), { kind: 'NEW', cursor, fields, entry: read.entry }];
    } else if (read.kind === 'INVALIDATION')
      yield [explanationId(targetOf(read.entry)), { kind: 'INVALIDATION', cursor, reason: read.entry.reason }];
  }
}

function checkEntries({ id, entries, cursor, fields }: DossierExplanation, found: readonly ReadOne[]): void {
  const cursors = found.map((one) => one.cursor).toSorted((one, other) => one - other);
  const missing = entries.find((one) => !cursors.includes(one)) ?? cursors.find((one) => !entries.includes(one));
  if (missing !== undefined)
    throw new UnfitDossierError(`The bundles and record.json disagree about the entry at cursor ${missing} of ${id}.`);
  // Cursor 0: its entry was set aside, and so was the bundle that held it.
  const present = found.filter((one) => one.kind === 'NEW' && (cursor === 0 || one.cursor === cursor));
  if (present.length === 0 || explanationId(fields.explanation_result_id) !== id)
    throw new UnfitDossierError(`No bundle holds the entry at cursor ${cursor}, from which the fields of ${id} are.`);
  if (!present.some((one) => one.kind === 'NEW' && sameFields(one.fields, fields)))
    throw new UnfitDossierError(`The fields of ${id} are not those of its entry at cursor ${cursor}.`);
}
