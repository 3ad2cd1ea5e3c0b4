/** Mutants of a statement in SQL: one of its words or signs is another. */
import type { Alternative } from './operators.ts';

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bAND\b/g, 'OR'],
  [/\bOR\b(?! (REPLACE|IGNORE|ROLLBACK|ABORT|FAIL)\b)/g, 'AND'],
  [/\bIS NOT NULL\b/g, 'IS NULL'],
  [/\bIS NULL\b/g, 'IS NOT NULL'],
  [/\bNOT EXISTS\b/g, 'EXISTS'],
  [/(?<!NOT )\bEXISTS\b/g, 'NOT EXISTS'],
  [/\bNOT IN\b/g, 'IN'],
  [/(?<!NOT )\bIN \(/g, 'NOT IN ('],
  [/ DESC\b/g, ''],
  [/\bmin\(/gi, 'max('],
  [/\bmax\(/gi, 'min('],
  [/\bUNION ALL\b/g, 'UNION'],
  [/\bDISTINCT /g, ''],
  [/ <> /g, ' = '],
  [/ = /g, ' <> '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
];

/** A text counts as SQL where it has a word or a sign of it between spaces and a word in capitals or a placeholder. */
const LIKE_SQL =
  /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|AND|OR|ORDER BY|EXISTS|IS NULL|IS NOT NULL|IN)\b|[=<>] ([?@]|\$\{)/;

/** An assignment of `UPDATE … SET` keeps its sign: another would be no statement. */
const isAssigned = (quasi: string, at: number): boolean => {
  const before = quasi.slice(0, at);
  return before.lastIndexOf('SET ') > Math.max(before.lastIndexOf('WHERE '), before.lastIndexOf('SELECT '));
};

/** `whole` is the text of the expression, `quasi` that of the string in it. */
export function sqlAlternatives(whole: string, quasi: string): Alternative[] {
  if (!LIKE_SQL.test(quasi)) return [];
  const start = whole.length - quasi.length;
  return WORDS.flatMap(([word, to]) =>
    [...quasi.matchAll(word)]
      .filter((found) => !isInterpolated(quasi, found.index))
      .filter((found) => found[0] !== ' = ' || !isAssigned(quasi, found.index))
      .map((found) => {
        const at = start + found.index;
        return {
          operator: `SQL ${found[0].trim()}`,
          text: whole.slice(0, at) + to + whole.slice(at + found[0].length),
        };
      }),
  );
}

/** Within `${…}` it is no SQL. */
function isInterpolated(quasi: string, at: number): boolean {
  const before = quasi.slice(0, at);
  const opened = before.lastIndexOf('${');
  return opened !== -1 && !before.slice(opened).includes('}');
}
