/** Checks documents against the repository: each named file exists, and each named test is in its file. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSource, writtenFiles, type Check } from './sources.ts';

/** A place of the repository between backticks. */
const PLACE = /`((?:agent|cloud|electron|renderer|shared|test|\.github|\.ci)\/[\w./@-]+|package(?:-lock)?\.json)`/g;
const LINK = /\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g;
/** A source by its name or the end of its path, as a README names its neighbours. */
const SOURCE = /`(?:\.\.\/)*([\w./@-]+\.tsx?)`/g;
/** A file of tests, or the name of a test in the file that was named last. */
const TEST = /`([\w./-]+\.test\.tsx?)`|“([^”]+)”/g;
/** Made by a build, so a fresh clone lacks them. */
const BUILT = /^(?:electron|renderer|cloud\/console)\/dist\b/;

export const namedPlaces: Check = {
  name: 'named places',
  run: async (root) => {
    const files = writtenFiles(root);
    const documents = files.filter((file) => file.endsWith('.md'));
    const problems = documents.flatMap((document) =>
      unknownIn(root, document, readSource(root, document), files).map(
        (unknown) => `${document} names what is not there: ${unknown}${movedTo(root, unknown)}`,
      ),
    );
    return { read: documents.length, problems };
  },
};

/** Places that a document names and the repository lacks. */
export function unknownIn(root: string, document: string, text: string, files = writtenFiles(root)): string[] {
  const places = [
    ...Array.from(text.matchAll(PLACE), ([, place]) => place ?? ''),
    ...Array.from(text.matchAll(LINK), ([, link]) => path.posix.join(path.posix.dirname(document), link ?? '')),
  ];
  const missing = places.filter((place) => !BUILT.test(place) && !existsSync(path.join(root, place)));
  const sources = Array.from(text.matchAll(SOURCE), ([, source]) => source ?? '');
  missing.push(
    ...sources.filter((one) => !missing.includes(one) && !files.some((file) => `/${file}`.endsWith(`/${one}`))),
  );
  // Elsewhere such marks may hold any words; a paper quotes tests alone.
  const isPaper = document.startsWith('.github/');
  const tests = text.split('\n').flatMap((line) => {
    let file: string | undefined;
    return Array.from(line.matchAll(TEST), ([, place, name]) => {
      if (place !== undefined) file = place;
      if (name === undefined || (file === undefined && !isPaper)) return null;
      return file !== undefined && existsSync(path.join(root, file)) && hasTest(readSource(root, file), name)
        ? null
        : `${file ?? 'no file'}: ${name}`;
    });
  });
  return [...missing, ...tests.filter((one) => one !== null)];
}

/** Files move more often than they are deleted: reports the new place of a file of that name. */
function movedTo(root: string, place: string): string {
  const name = path.posix.basename(place);
  const found = writtenFiles(root).filter((file) => path.posix.basename(file) === name);
  return found.length === 0 ? '' : ` (is it ${found.slice(0, 3).join(', ')} now?)`;
}

/** Whether a name is the first argument of a call of `test`, `describe`, or the result of their `each`. */
export function hasTest(source: string, name: string): boolean {
  return ["'", '"', '`'].some((quote) => {
    const quoted = `${quote}${name}${quote}`;
    for (let at = source.indexOf(quoted); at >= 0; at = source.indexOf(quoted, at + 1)) {
      const before = source.slice(0, at).trimEnd();
      const after = source.slice(at + quoted.length).trimStart();
      if (before.endsWith('(') && after.startsWith(',')) return true;
    }
    return false;
  });
}
