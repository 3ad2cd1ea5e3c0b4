/** The results as text. */
import type { Mutant } from './mutants.ts';
import type { Tried } from './session.ts';

export interface Result {
  folder: string;
  seconds: number;
  sample?: { of: number; seed: number };
  /** The share that must be killed. */
  target: number;
  mutants: (Mutant & Tried & { file: string })[];
}

const isKilled = ({ killedBy }: Tried): boolean => killedBy !== null;

export function isEnough({ mutants, target }: Result): boolean {
  return mutants.length > 0 && mutants.filter(isKilled).length >= target * mutants.length;
}

/** A row for each folder. */
export function scoreTable(results: readonly Result[]): string {
  const rows = results.map((result) => {
    const { folder, mutants, seconds, sample, target } = result;
    const killed = mutants.filter(isKilled).length;
    const unreached = mutants.filter(({ ran }) => ran === 0).length;
    const share = ((100 * killed) / Math.max(1, mutants.length)).toFixed(1);
    const of = sample === undefined ? '' : ` of ${sample.of}, seed ${sample.seed}`;
    return `| \`${folder}\` | ${mutants.length}${of} | ${killed} | ${mutants.length - killed} | ${unreached} | ${share} % | ${100 * target} % | ${seconds} |`;
  });
  return [
    '| Folder | Mutants | Killed | Survived | of them reached by no test | Score | Target | s |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Those that no test noticed, by file and line. */
export function survivorLines({ mutants }: Result): string[] {
  return mutants
    .filter((one) => !isKilled(one))
    .map(
      ({ file, line, id, operator, before, after, ran }) =>
        `${file}:${line} #${id} ${operator}${ran === 0 ? ' (reached by no test)' : ''}: ${short(before)}${after === '' ? '' : ` -> ${difference(before, after)}`}`,
    );
}

const short = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
};

/** Of a long text only what is around the first difference. */
function difference(before: string, after: string): string {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  return short(before.length > 90 && after.length > 90 ? `…${after.slice(Math.max(0, at - 30), at + 40)}…` : after);
}
