/**
 * The file of a dossier: a ZIP whose entries are stored as they are and carry no times, so that its files alone decide
 * every byte of it. A reader makes it again from what it has read and compares: no byte can hide beside the files, and
 * nothing is unpacked.
 */
import { hash, type KeyObject, sign, createPublicKey, verify } from 'node:crypto';
import { unzipSync, zipSync } from 'fflate';
import { publicText } from '../../../shared/service/checkpoints/checkpoint.ts';
import { MANIFEST, manifestSchema, SIGNATURE, type Manifest } from './contents.ts';

/** The file is no dossier, or was changed. The message names the first thing that does not fit. */
export class UnfitDossierError extends Error {
  override name = 'UnfitDossierError';
}

export type Files = ReadonlyMap<string, Uint8Array>;

export const MOST_FILE_BYTES = 512 * 1024 ** 2;
const MOST_FILES = 1_002;
const NAME = /^(?:bundles\/\d{1,16}(?:-[0-9a-f]{16})?\.json|[a-z]{1,16}\.(?:json|sig|html))$/;

/** The format has no earlier time, and takes it from the local clock: the same in every zone. */
export const zipOptions = () => ({ level: 0, mtime: new Date(1980, 0, 1) }) as const;

function packed(files: Files): Uint8Array {
  const names = [...files.keys()].toSorted();
  return zipSync(Object.fromEntries(names.map((name) => [name, files.get(name) ?? new Uint8Array()])), zipOptions());
}

/** The caller compares the file with `packed`, behind the checks that name a file. @throws UnfitDossierError */
function unpacked(bytes: Uint8Array): Files {
  if (bytes.length > MOST_FILE_BYTES)
    throw new UnfitDossierError(`The file has ${bytes.length} bytes, and no dossier has more than ${MOST_FILE_BYTES}.`);
  const files = new Map<string, Uint8Array>();
  let names = 0;
  let total = 0;
  let read: Record<string, Uint8Array>;
  try {
    read = unzipSync(bytes, {
      filter: ({ name, size, originalSize, compression }) => {
        names += 1;
        total += originalSize;
        if (names > MOST_FILES) throw new UnfitDossierError('The file holds more files than a dossier has.');
        if (!NAME.test(name))
          throw new UnfitDossierError(`The file holds ${JSON.stringify(name.slice(0, 80))}, which no dossier has.`);
        if (compression !== 0 || size !== originalSize)
          throw new UnfitDossierError(`${name} is compressed; a dossier holds its files as they are.`);
        if (total > bytes.length) throw new UnfitDossierError(`${name} is said to be longer than the whole file.`);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof UnfitDossierError) throw error;
    throw new UnfitDossierError('The file is no ZIP that can be read.');
  }
  for (const [name, content] of Object.entries(read)) files.set(name, content);
  if (files.size !== names) throw new UnfitDossierError('The file holds two files of one name.');
  return files;
}

/** What a manifest is of: its signature is told apart from that of a checkpoint and of another kind. */
type Kind = 'dossier' | 'inspection';
const signedBytes = (kind: Kind, manifest: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`causeway ${kind} 1\n`), manifest]);

/** The file of a manifest's signature. */
export const signatureOf = (kind: Kind, manifest: Uint8Array, key: KeyObject): Buffer =>
  Buffer.from(`${sign(null, signedBytes(kind, manifest), key).toString('base64')}\n`);

const named = (name: string, content: Uint8Array) => ({
  name,
  bytes: content.length,
  sha256: hash('sha256', content),
});

/** @param key the tenant's private key */
export function seal(
  files: Files,
  about: Omit<Manifest, 'format' | 'v' | 'key' | 'files'>,
  key: KeyObject,
): Uint8Array {
  const names = [...files].map(([name, content]) => named(name, content));
  const manifest: Manifest = {
    format: 'causeway dossier',
    v: 1,
    ...about,
    key: publicText(key),
    files: names.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  };
  const bytes = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  return packed(new Map([...files, [MANIFEST, bytes], [SIGNATURE, signatureOf('dossier', bytes, key)]]));
}

/**
 * The files of a dossier, each as its manifest names it, and the manifest as its key has signed it.
 *
 * @throws UnfitDossierError
 */
export function unseal(bytes: Uint8Array): { files: Files; manifest: Manifest } {
  const files = unpacked(bytes);
  const [told, signature] = [files.get(MANIFEST), files.get(SIGNATURE)];
  if (told === undefined || signature === undefined)
    throw new UnfitDossierError(`The file holds no ${told === undefined ? MANIFEST : SIGNATURE}: it is no dossier.`);
  const manifest = readJsonFile(MANIFEST, told, manifestSchema);
  if (!isSigned('dossier', manifest.key, told, signature))
    throw new UnfitDossierError(`The signature in ${SIGNATURE} does not fit ${MANIFEST}.`);
  const listed = new Map(manifest.files.map((each) => [each.name, each]));
  for (const [name, content] of files) {
    if (name === MANIFEST || name === SIGNATURE) continue;
    const said = listed.get(name);
    if (said === undefined) throw new UnfitDossierError(`${name} is not named in the manifest.`);
    const { bytes: length, sha256 } = named(name, content);
    if (said.bytes !== length || said.sha256 !== sha256)
      throw new UnfitDossierError(`${name} does not fit its SHA-256 in the manifest.`);
  }
  for (const { name } of manifest.files)
    if (!files.has(name)) throw new UnfitDossierError(`The manifest names ${name}, which the file does not hold.`);
  if (!Buffer.from(packed(files)).equals(bytes))
    throw new UnfitDossierError(
      'The file holds bytes that are no part of its files: it was packed by another program, or changed between them.',
    );
  return { files, manifest };
}

export function isSigned(kind: Kind, key: string, manifest: Uint8Array, signature: Uint8Array): boolean {
  try {
    const text = Buffer.from(signature).toString('utf8');
    const value = Buffer.from(text, 'base64');
    const half = createPublicKey({ key: Buffer.from(key, 'base64'), type: 'spki', format: 'der' });
    if (half.asymmetricKeyType !== 'ed25519' || `${value.toString('base64')}\n` !== text) return false;
    return verify(null, signedBytes(kind, manifest), half, value);
  } catch {
    return false;
  }
}

interface Schema<T> {
  safeParse(value: unknown): {
    success: boolean;
    data?: T;
    error?: { issues: readonly { path: PropertyKey[]; message: string }[] };
  };
}

/** @throws UnfitDossierError */
export function readJsonFile<T>(name: string, content: Uint8Array | undefined, schema: Schema<T>): T {
  if (content === undefined) throw new UnfitDossierError(`The file holds no ${name}.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch {
    throw new UnfitDossierError(`${name} cannot be read as JSON.`);
  }
  const read = schema.safeParse(value);
  if (read.data !== undefined) return read.data;
  const issue = read.error?.issues[0];
  throw new UnfitDossierError(
    `${name} is not in the form of a dossier: ${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}.`,
  );
}
