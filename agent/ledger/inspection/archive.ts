/**
 * The archive of an inspector's request: a ZIP whose files are stored as they are and carry no times. The manifest
 * stands first, so that the archive is written and read file by file: it never lies in memory as a whole. Like a
 * dossier it is made again from what was read and compared, so that no byte hides beside its files.
 */
import { hash, type KeyObject } from 'node:crypto';
import { zipSync } from 'fflate';
import { z } from 'zod';
import { publicText } from '../../../shared/service/checkpoints/checkpoint.ts';
import { AUDIT_LANGUAGES } from '../../../shared/wire/console/audit-words.ts';
import { inspectionCountsSchema, inspectionQuerySchema } from '../../../shared/wire/console/inspection.ts';
import { isSigned, readJsonFile, signatureOf, UnfitDossierError, zipOptions } from '../dossier/container.ts';
import { MANIFEST, SIGNATURE } from '../dossier/contents.ts';

export const LIST = 'list.csv';
export const dossierName = (id: string): string => `dossiers/${id}.zip`;

/** Offsets in a ZIP have 32 bits, and a browser keeps the file until it is saved. */
export const MOST_ARCHIVE_BYTES = 2 * 1024 ** 3;
const MOST_MANIFEST_BYTES = 16 * 1024 ** 2;

const count = z.int().min(0);
const manifestFile = z.strictObject({
  name: z.string().regex(/^(?:list\.csv|dossiers\/[\w-]{1,128}\.zip)$/),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ArchiveFile = z.infer<typeof manifestFile>;

const archiveManifestSchema = z.strictObject({
  format: z.literal('causeway inspection'),
  v: z.literal(1),
  /** The version of the program that made it. */
  program: z.string(),
  id: z.string(),
  madeAt: z.iso.datetime({ precision: 3 }),
  madeBy: z.string(),
  language: z.enum(AUDIT_LANGUAGES),
  query: inspectionQuerySchema,
  counts: inspectionCountsSchema,
  /** The tenant's public key, SPKI in base64. */
  key: z.string(),
  /** In the order of the archive: the list, then the dossiers in the order of its rows. */
  files: z.array(manifestFile).min(2).max(10_000),
});
export type ArchiveManifest = z.infer<typeof archiveManifestSchema>;

/** The sizes of the fixed parts of a ZIP's records. */
const LOCAL = 30;
const CENTRAL = 46;
const END = 22;
const MOST_NAME = 200;

/** One file as fflate stores it: its own part, and its entry in the directory. */
function stored(name: string, content: Uint8Array): { local: Uint8Array; central: Buffer } {
  const zip = zipSync({ [name]: content }, zipOptions());
  const at = LOCAL + Buffer.byteLength(name) + content.length;
  return { local: zip.subarray(0, at), central: Buffer.from(zip.subarray(at, zip.length - END)) };
}

/** Joins files to one ZIP, part by part. */
export class Joined {
  readonly #directory: Buffer[] = [];
  #length = 0;

  /** The bytes of the next file. */
  add(name: string, content: Uint8Array): Uint8Array {
    const { local, central } = stored(name, content);
    central.writeUInt32LE(this.#length, CENTRAL - 4);
    this.#directory.push(central);
    this.#length += local.length;
    return local;
  }

  /** The bytes after the last file. */
  end(): Uint8Array {
    const directory = Buffer.concat(this.#directory);
    const end = Buffer.alloc(END);
    end.writeUInt32LE(0x06_05_4b_50, 0);
    end.writeUInt16LE(this.#directory.length, 8);
    end.writeUInt16LE(this.#directory.length, 10);
    end.writeUInt32LE(directory.length, 12);
    end.writeUInt32LE(this.#length, 16);
    return Buffer.concat([directory, end]);
  }
}

/** @param content gives each file that the manifest names, in its order */
export function* archiveOf(
  about: Omit<ArchiveManifest, 'format' | 'v' | 'key'>,
  key: KeyObject,
  content: (file: ArchiveFile) => Uint8Array,
): Generator<Uint8Array> {
  const joined = new Joined();
  const manifest: ArchiveManifest = { format: 'causeway inspection', v: 1, ...about, key: publicText(key) };
  const told = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  yield joined.add(MANIFEST, told);
  yield joined.add(SIGNATURE, signatureOf('inspection', told, key));
  for (const file of about.files) yield joined.add(file.name, content(file));
  yield joined.end();
}

/** A file of bytes, read piece by piece. */
export interface Pieces {
  size: number;
  read(position: number, length: number): Uint8Array;
}

/** Whether a file begins like an archive; a dossier begins with its first file by the alphabet. */
export function isArchive({ size, read }: Pieces): boolean {
  const length = LOCAL + MANIFEST.length;
  return size > length && nameAt(Buffer.from(read(0, length))) === MANIFEST;
}

const nameAt = (head: Buffer): string => head.subarray(LOCAL, LOCAL + head.readUInt16LE(26)).toString();

/** The files of an archive, each proved to be the one that the manifest names. @throws UnfitDossierError */
export class OpenedArchive {
  readonly manifest: ArchiveManifest;
  readonly #pieces: Pieces;
  readonly #again = new Joined();
  #position = 0;

  constructor(pieces: Pieces) {
    this.#pieces = pieces;
    if (pieces.size > MOST_ARCHIVE_BYTES)
      throw new UnfitDossierError(
        `The file has ${pieces.size} bytes, and no archive has more than ${MOST_ARCHIVE_BYTES}.`,
      );
    const told = this.#next(MANIFEST, MOST_MANIFEST_BYTES);
    const signature = this.#next(SIGNATURE, MOST_NAME);
    this.manifest = readJsonFile(MANIFEST, told, archiveManifestSchema);
    if (!isSigned('inspection', this.manifest.key, told, signature))
      throw new UnfitDossierError('The signature of the manifest does not fit it.');
    if (this.manifest.files[0]?.name !== LIST) throw new UnfitDossierError(`The manifest does not begin with ${LIST}.`);
  }

  *files(): Generator<ArchiveFile & { content: Uint8Array }> {
    for (const file of this.manifest.files) {
      const content = this.#next(file.name, file.bytes);
      if (content.length !== file.bytes || hash('sha256', content) !== file.sha256)
        throw new UnfitDossierError(`${file.name} does not fit its SHA-256 in the manifest.`);
      yield { ...file, content };
    }
    const end = this.#again.end();
    const { size, read } = this.#pieces;
    if (size - this.#position !== end.length || !Buffer.from(end).equals(read(this.#position, end.length)))
      throw new UnfitDossierError('The file holds bytes that are no part of its files.');
  }

  #next(name: string, most: number): Uint8Array {
    const { size, read } = this.#pieces;
    const length = LOCAL + Buffer.byteLength(name);
    const head = Buffer.from(read(this.#position, length));
    const bytes = head.length === length ? head.readUInt32LE(22) : 0;
    if (head.length !== length || nameAt(head) !== name)
      throw new UnfitDossierError(`${name} does not stand where an archive has it: the file is cut off or changed.`);
    if (bytes > most || this.#position + length + bytes > size)
      throw new UnfitDossierError(`${name} is longer than the manifest or the file says.`);
    const content = read(this.#position + length, bytes);
    const local = this.#again.add(name, content);
    if (!head.equals(local.subarray(0, length)))
      throw new UnfitDossierError(`${name} was packed by another program, or its checksum does not fit it.`);
    this.#position += local.length;
    return content;
  }
}
