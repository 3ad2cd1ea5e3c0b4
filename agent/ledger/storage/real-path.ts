/** The place of a ledger whose name is a link. */
import { readlinkSync } from 'node:fs';
import path from 'node:path';

/** SQLite follows no more. */
const MOST_LINKS = 200;

/**
 * The path without links of a ledger that may not be there yet. SQLite keeps the log beside this one, so every file that
 * belongs beside a ledger, and every file that gets its name, lies there. On Windows SQLite follows no link by itself.
 */
export function realPath(file: string): string {
  if (file === ':memory:' || process.platform === 'win32') return file;
  // Unlike in path.resolve, ".." leads out of the folder that a link before it leads to.
  const left = (path.isAbsolute(file) ? file : `${process.cwd()}/${file}`).split('/');
  let at = '/';
  for (let links = 0; left.length > 0;) {
    const next = path.join(at, left.shift() ?? '');
    const target = targetOf(next);
    if (target === null) at = next;
    // SQLite refuses such a name with a sentence.
    else if (++links > MOST_LINKS) return file;
    else {
      if (path.isAbsolute(target)) at = '/';
      left.unshift(...target.split('/'));
    }
  }
  return at;
}

/** Null where there is no link, or nothing that can be read. */
function targetOf(place: string): string | null {
  try {
    return readlinkSync(place);
  } catch {
    return null;
  }
}
