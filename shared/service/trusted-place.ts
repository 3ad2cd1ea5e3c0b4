/**
 * Where root reads and writes: only where nobody else could have put a file, or a link, in its place. On Windows the
 * rights of a folder say that (`windows-rights.ts`).
 */
import { constants, closeSync, lstatSync, openSync, readFileSync, readlinkSync, statSync, type Stats } from 'node:fs';
import path from 'node:path';

/** Another could have changed what lies there; the message is one sentence that says what to do. */
export class UntrustedPlaceError extends Error {
  override name = 'UntrustedPlaceError';
}

/** Ids of the users who may have written a file that is believed. */
export type Trusted = ReadonlySet<number>;

export const ROOT_ALONE: Trusted = new Set([0]);

/** Root, and the person who became root by sudo; null where the process is not root's, and has nothing to lose to others. */
export function trustedByRoot(env: Readonly<Record<string, string | undefined>>): Trusted | null {
  if (process.getuid?.() !== 0) return null;
  const person = Number(env['SUDO_UID'] ?? '0');
  return new Set([0, ...(Number.isSafeInteger(person) ? [person] : [])]);
}

const MOST_LINKS = 40;

/**
 * Follows a path from the root folder on, link by link, and refuses each step that another could change. What is not
 * there yet may be made: by `wx`, because in a folder like /tmp another may come first.
 *
 * @returns the place without links
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

/** @param trusted null: whoever reads it is not root @throws UntrustedPlaceError, and what the file system says */
export function readTrusted(file: string, trusted: Trusted | null): string {
  if (trusted === null) return readFileSync(file, 'utf8');
  const handle = openSync(trustedPlace(file, trusted), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

/** In a sticky folder only the owner of a file can put another in its place. */
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
 * Root does not work on files in a folder of another user: a link that this user has planted there would lead it to any
 * file of the system, and what it writes would be closed to that user.
 *
 * @param folder one that does not exist yet is nobody's
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
