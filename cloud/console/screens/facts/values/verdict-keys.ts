/** Names of verdicts, the same at the next reading and on another day. */
import type { Verdict } from '../../../rules/rule.ts';

/** The values of a sentence that identify its subject; the others are amounts. */
const SUBJECTS = [
  'run',
  'silentLane',
  'source',
  'task',
  'dataset',
  'output',
  'feed',
  'from',
  'to',
  'etf',
  'analysis',
  'queue',
  'fact',
] as const;

export interface NamedVerdict {
  key: string;
  verdict: Verdict;
}

/** @param day the day of the facts, which keys of its runs hold */
export function nameVerdicts(verdicts: readonly Verdict[], day: string): NamedVerdict[] {
  const met = new Map<string, number>();
  return verdicts.map((verdict) => {
    const { id, values } = verdict.sentence;
    const subjects = SUBJECTS.flatMap((name) =>
      values[name] === undefined ? [] : [withoutDay(String(values[name]), day)],
    );
    const name = [verdict.rule, id.slice(id.lastIndexOf('.') + 1), ...subjects].join(' ');
    const times = (met.get(name) ?? 0) + 1;
    met.set(name, times);
    return { key: times === 1 ? name : `${name} #${times}`, verdict };
  });
}

/** A key without the day's own date: `market/2026-11-20/close` is the same slot as on any other day. */
export function withoutDay(text: string, day: string): string {
  return text.replaceAll(day, '{date}').replaceAll(day.replaceAll('-', ''), '{date}');
}
