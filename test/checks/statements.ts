/** The rule for SQL: a statement is a query of Kysely's builder, or of its `sql` template, which binds values and types the rows. */
import { parseSync } from 'rolldown/utils';
import { codeFiles, readSource, type Check } from './sources.ts';

const STATEMENT =
  /^\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\S+\s+(?:AS\s+\S+\s+)?SET\s|DELETE\s+FROM\s|WITH\s+(?:RECURSIVE\s+)?\w+\s*(?:\([^)]*\)\s*)?AS\b)/i;
/** SQL in one case; a label of a menu has both. */
const ONE_CASE = /^\s*(?:[A-Z]+|[a-z]+)\b/;
/** Migrations are the schema itself; tests may write SQL freely. */
const OTHER = /\.test\.ts$|\/migrations\//;

/**
 * Texts that no query is: the state of any audited table, which triggers hold as well, and rows of any table that a record
 * of the journal names; what is asked of a file before it is a ledger; a function of PostgreSQL's, and what its driver
 * prepares by a name or asks on its own connection.
 */
const TEXTS = new Set([
  'agent/ledger/journal/replay.ts',
  'agent/ledger/made/changes.ts',
  'agent/ledger/storage/schema-faults.ts',
  'cloud/doctor/check-replica.ts',
  'cloud/entries/bundle-entries.ts',
  'cloud/entries/entry-sql.ts',
  'cloud/store/listening.ts',
  'cloud/sync/replica-bundles.ts',
  'cloud/sync/certificate-sql.ts',
]);

export const statements: Check = {
  name: 'written statements',
  run: async (root) => {
    const files = codeFiles(root).filter(
      (file) => /^(?:agent|cloud|electron)\/.*\.ts$/.test(file) && !OTHER.test(file) && !TEXTS.has(file),
    );
    const problems = files.flatMap((file) =>
      statementsOf(file, readSource(root, file)).map(
        ({ line, text }) =>
          `${file}:${line} has a statement as mere text (${text}): build it, or write it with \`sql\``,
      ),
    );
    return { read: files.length, problems };
  },
};

/** Every text of a source that is a whole statement of SQL outside of the `sql` template, in order. */
export function statementsOf(file: string, source: string): { line: number; text: string }[] {
  const found: { line: number; text: string; start: number }[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item);
    } else if (typeof value === 'object' && value !== null) {
      const node = value as Record<string, unknown>;
      const text = textOf(node);
      if (text !== null && STATEMENT.test(text.value) && ONE_CASE.test(text.value)) {
        const line = source.slice(0, text.start).split('\n').length;
        found.push({ line, text: text.value.replaceAll(/\s+/g, ' ').trim().slice(0, 60), start: text.start });
      }
      // What stands inside of the template is looked at, the template itself is Kysely's.
      const children = isSql(node) ? (node['quasi'] as { expressions: unknown[] }).expressions : Object.values(node);
      for (const child of children) visit(child);
    }
  };
  visit(parseSync(file, source).program);
  return found.toSorted((a, b) => a.start - b.start).map(({ line, text }) => ({ line, text }));
}

const isSql = ({ type, tag }: Record<string, unknown>): boolean =>
  type === 'TaggedTemplateExpression' && (tag as { name?: string }).name === 'sql';

function textOf({ type, start, value, quasis }: Record<string, unknown>): { value: string; start: number } | null {
  if (typeof start !== 'number') return null;
  if (type === 'Literal' && typeof value === 'string') return { value, start };
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis)) return null;
  // A placeholder in a template counts as one word.
  const pieces = quasis.map((piece: { value: { cooked: string } }) => piece.value.cooked);
  return { value: pieces.join('x'), start };
}
