/**
 * Where root reads and writes: only where no other user could have put a file or a link in the way. On Windows the
 * folder's rights decide that (`windows-rights.ts`).
 */
import { constants, closeSync, lstatSync, openSync, readFileSync, readlinkSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';

/** Another user could have changed the file or folder; the message is one sentence that says what to do. */
export class UntrustedPlaceError extends Error {
  override name = 'UntrustedPlaceError';
}

/** Ids of the users who may own a trusted file. */
export type Trusted = ReadonlySet<number>;

export const ROOT_ALONE: Trusted = new Set([0]);

/** Root and the user who became root by sudo; null for a process without root, which has no privilege to lose. */
export function trustedByRoot(env: Readonly<Record<string, string | undefined>>): Trusted | null {
  if (process.getuid?.() !== 0) return null;
  const person = Number(env['SUDO_UID'] ?? '0');
  return new Set([0, ...(Number.isSafeInteger(person) ? [person] : [])]);
}

const MOST_LINKS = 40;

/**
 * Resolves a path from the root folder, link by link, and refuses each component that another user could change. A
 * missing component may be created: with `wx`, because in a folder like /tmp another user may be faster.
 *
 * @returns the path without links
 * @throws UntrustedPlaceError
 */
export function trustedPlace(place: string, trusted: Trusted): string {
  const left = path.resolve(place).split(path.sep);
  let at: string = path.sep;
  judge(at, lstatSync(at), trusted);
  for (let links = 0; left.length > 0;) {
    const next = path.join(at, left.shift() ?? '');
    const stat = lstatSync(next, { throwIfNoEntry: false });
    if (stat === undefined) return path.join(next, ...left);
    if (stat.isSymbolicLink()) {
      if (!trusted.has(stat.uid) || ++links > MOST_LINKS) throw refusal(next, stat);
      const target = readlinkSync(next);
      if (path.isAbsolute(target)) at = path.sep;
      left.unshift(...target.split(path.sep));
    } else {
      judge(next, stat, trusted);
      at = next;
    }
  }
  return at;
}

/**
 * @param trusted null: the reader is not root
 * @throws UntrustedPlaceError, and the errors of the file system
 */
export function readTrusted(file: string, trusted: Trusted | null): string {
  if (trusted === null) return readFileSync(file, 'utf8');
  const handle = openSync(trustedPlace(file, trusted), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** In a sticky folder only a file's owner can replace it. */
const STICKY = 0o1000;
const OTHERS_WRITE = 0o022;

function judge(place: string, stat: Stats, trusted: Trusted): void {
  const isShared = (stat.mode & OTHERS_WRITE) !== 0 && !(stat.isDirectory() && (stat.mode & STICKY) !== 0);
  if (!trusted.has(stat.uid) || isShared) throw refusal(place, stat);
}

function refusal(place: string, { uid, mode }: Stats): UntrustedPlaceError {
  return new UntrustedPlaceError(
    `${place} is not root's alone (user ${uid}, mode ${(mode & 0o7777).toString(8)}), so another could have changed what is read ` +
      `or written there: look at what it holds, then "chown root ${place}" and "chmod go-w ${place}".`,
  );
}

/**
 * Root does not work in a folder of another user: a link that this user planted there would lead root to any file of
 * the system, and the user could not open what root writes.
 *
 * @param folder a folder that does not exist yet has no owner
 * @throws UntrustedPlaceError
 */
export function refuseRootInFolderOfAnother(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined || stat.uid === 0) return;
  throw new UntrustedPlaceError(
    `${path.resolve(folder)} belongs to the user ${stat.uid}, and root does not work in it: run this as that user, ` +
      'for a service by "causeway-agent run PART".',
  );
}
