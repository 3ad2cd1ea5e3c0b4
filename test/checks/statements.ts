/** The rule for SQL: queries are built; a file with written-out statements gives the reason in its header. */
import { parseSync } from 'rolldown/utils';
import { codeFiles, readSource, type Check } from './sources.ts';

const STATEMENT =
  /^\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+(?:AS\s+\S+\s+)?SET\s|DELETE\s+FROM\s|WITH\s+(?:RECURSIVE\s+)?\w+\s*(?:\([^)]*\)\s*)?AS\b)/i;
/** SQL in one case; a label of a menu has both. */
const ONE_CASE = /^\s*(?:[A-Z]+|[a-z]+)\b/;
/** In the comment that a file begins with. */
const REASON = /\bWritten out: \S/;

/** Migrations are the schema itself; tests may write SQL freely. */
const OTHER = /\.test\.ts$|\/migrations\//;

export const statements: Check = {
  name: 'written statements',
  run: async (root) => {
    const files = codeFiles(root).filter(
      (file) => /^(?:agent|cloud|electron)\/.*\.ts$/.test(file) && !OTHER.test(file),
    );
    const problems = files.flatMap((file) => {
      const [first] = statementsOf(file, readSource(root, file));
      if (first === undefined || REASON.test(headerOf(readSource(root, file)))) return [];
      return [
        `${file}:${first.line} writes a statement out (${first.text}): build it, or say in the header "Written out: …" why`,
      ];
    });
    return { read: files.length, problems };
  },
};

/** Every text of a source that is a whole statement of SQL, in order. */
export function statementsOf(file: string, source: string): { line: number; text: string }[] {
  const found: { line: number; text: string; start: number }[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
    } else if (typeof value === 'object' && value !== null) {
      const text = textOf(value as Record<string, unknown>);
      if (text !== null && STATEMENT.test(text.value) && ONE_CASE.test(text.value)) {
        const line = source.slice(0, text.start).split('\n').length;
        found.push({ line, text: text.value.replaceAll(/\s+/g, ' ').trim().slice(0, 60), start: text.start });
      }
      for (const child of Object.values(value)) visit(child);
    }
  };
  visit(parseSync(file, source).program);
  return found.toSorted((a, b) => a.start - b.start).map(({ line, text }) => ({ line, text }));
}

function textOf({ type, start, value, quasis }: Record<string, unknown>): { value: string; start: number } | null {
  if (typeof start !== 'number') return null;
  if (type === 'Literal' && typeof value === 'string') return { value, start };
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis)) return null;
  // A placeholder in a template counts as one word.
  const pieces = quasis.map((piece: { value: { cooked: string } }) => piece.value.cooked);
  return { value: pieces.join('x'), start };
}

/** The comment that a file begins with; empty where it begins with something else. */
const headerOf = (source: string): string =>
  (/^\/\*\*.*?\*\//s.exec(source)?.[0] ?? '').replaceAll(/\s*\n \*\s*/g, ' ');
