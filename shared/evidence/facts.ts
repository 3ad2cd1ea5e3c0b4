/** The numbers, dates and times of an explanation's evidence, to compare the figures of its text with. */
import type { EvidenceView } from './evidence.ts';
import { isCalendarDate, kstDateTime } from '../time/kst.ts';
import { readFigures, type Figure } from './read-figures.ts';

/** The place of a fact, for the reviewer who compares. */
export interface FactPlace {
  /** The evidence's title; null for the measurement and its times in the explanation's head. */
  evidence: string | null;
  /** The evidence's place among those of the explanation; null as above. */
  index: number | null;
  /** `output.contribution_pp`, `title`, `observed_return`. */
  path: string;
  /** The stored value. */
  shown: string;
  /** The nearest stored name; null for the words of the evidence itself. */
  name: string | null;
  /** The `name` beside the value: a constituent among others. */
  subject: string | null;
  /** Whether it appears only in the title of a news item or a disclosure, so that it was never measured here. */
  isHeadline: boolean;
}

/** The unit in the name of a stored value; `none` without one. */
export type Unit = 'percent' | 'point' | 'basis' | 'money' | 'ratio' | 'none';

export type Fact = FactPlace &
  (
    | { form: 'number'; value: number; unit: Unit; factor: number }
    /** The length of a stored list, or a number in a stored name (`average_20d`): it supports only counts. */
    | { form: 'tally'; value: number }
    | { form: 'written'; figure: Figure }
    | { form: 'day'; year: number; month: number; day: number }
    | { form: 'clock'; hour: number; minute: number }
  );

/** The head of an explanation: the measurement and its times. */
export interface Measured {
  observed_return: number | null;
  trade_date: string;
  explanation_as_of: string;
  content_as_of: string | null;
}

/**
 * Most UTF-16 units of the evidence's texts that are searched for figures, so that no text blocks the page.
 */
const MOST_READ = 40_000;

type Read = (text: string) => Figure[];

function boundedRead(): Read {
  let left = MOST_READ;
  return (text) => {
    left -= text.length;
    return left < 0 ? [] : readFigures(text);
  };
}

export function factsOf(measured: Measured, evidences: readonly EvidenceView[]): Fact[] {
  const { observed_return: observed } = measured;
  const facts: Fact[] = [];
  if (observed !== null)
    facts.push({
      ...head('observed_return', String(observed)),
      form: 'number',
      value: observed,
      unit: 'ratio',
      factor: 1,
    });
  for (const path of ['trade_date', 'content_as_of', 'explanation_as_of'] as const) {
    const value = measured[path];
    if (value !== null) facts.push(...timesOf(value, head(path, value)));
  }
  // No spread into a call: a hundred thousand arguments exceed the engine's limit.
  const read = boundedRead();
  return [...facts, ...evidences.flatMap((evidence, index) => factsOfEvidence(evidence, index, read))];
}

function head(path: string, shown: string): FactPlace {
  return { evidence: null, index: null, path, shown, name: path, subject: null, isHeadline: false };
}

function factsOfEvidence(evidence: EvidenceView, index: number, read: Read): Fact[] {
  const place = (path: string, shown: string, name: string | null = null, subject: string | null = null) => ({
    evidence: evidence.title ?? evidence.source,
    index,
    path,
    shown,
    name,
    subject,
    isHeadline: evidence.form === 'document' && path === 'title',
  });
  const facts: Fact[] = [];
  const words = (path: string, text: string): void => {
    for (const figure of read(text)) facts.push({ ...place(path, text), form: 'written', figure });
  };
  if (evidence.title !== null) words('title', evidence.title);
  if (evidence.form === 'document') {
    if (evidence.publishedAt !== null)
      facts.push(...timesOf(evidence.publishedAt, place('published_at', evidence.publishedAt)));
    return facts;
  }
  words('description', evidence.description);
  if (evidence.asOf !== null) facts.push(...timesOf(evidence.asOf, place('as_of', evidence.asOf)));
  for (const part of ['arguments', 'output'] as const) {
    walk(
      evidence[part],
      { path: part, name: part, subject: null },
      ({ path, name, subject }, value) => {
        const at = place(path, String(value), name, subject);
        if (typeof value === 'number') facts.push({ ...at, form: 'number', value, ...unitOf(name) });
        else {
          const number = /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : null;
          if (number !== null) facts.push({ ...at, form: 'number', value: number, ...unitOf(name) });
          else if (timesOf(value, at).length > 0) facts.push(...timesOf(value, at));
          else for (const figure of read(value)) facts.push({ ...at, form: 'written', figure });
        }
      },
      ({ path, name, subject }, tally, shown) =>
        facts.push({ ...place(path, shown, name, subject), form: 'tally', value: tally }),
    );
  }
  return facts;
}

/** The place of a value in stored JSON. */
interface Spot {
  path: string;
  /** The nearest name. */
  name: string;
  /** The text under `name` beside it. */
  subject: string | null;
}

/** Visits every number and text of stored JSON with its place, and every tally. */
function walk(
  value: unknown,
  spot: Spot,
  visit: (spot: Spot, value: number | string) => void,
  count: (spot: Spot, tally: number, shown: string) => void,
): void {
  if (typeof value === 'number' || typeof value === 'string') visit(spot, value);
  else if (Array.isArray(value)) {
    count(spot, value.length, `[${value.length}]`);
    value.forEach((item: unknown, index) => walk(item, { ...spot, path: `${spot.path}[${index}]` }, visit, count));
  } else if (typeof value === 'object' && value !== null) {
    const subject = 'name' in value && typeof value.name === 'string' ? value.name : spot.subject;
    for (const [key, item] of Object.entries(value)) {
      const inside = { path: `${spot.path}.${key}`, name: key, subject };
      for (const [, digits] of key.matchAll(/(?:^|[_a-z])(\d+)(?:d|days?|w|m|y)?(?=_|$|[A-Z])/g))
        count(inside, Number(digits), key);
      walk(item, inside, visit, count);
    }
  }
}

/** The words of a stored name: `contribution_pp`, `returnPct`. */
export function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_\s.-]+/);
}

/** The unit in the name of a stored value: `contribution_pp`, `turnover_100m_krw`, `returnPct`. */
export function unitOf(name: string): { unit: Unit; factor: number } {
  const words = wordsOfName(name);
  const has = (...any: string[]): boolean => any.some((word) => words.includes(word));
  if (has('pp', 'pctp') || name.includes('%p')) return { unit: 'point', factor: 1 };
  if (has('pct', 'percent', 'percentage') || name.includes('%')) return { unit: 'percent', factor: 1 };
  if (has('bp', 'bps')) return { unit: 'basis', factor: 1 };
  if (has('ratio')) return { unit: 'ratio', factor: 1 };
  if (has('krw', 'won', 'usd', 'eur', 'jpy') || /[원엔]$|달러|유로/.test(name))
    return { unit: 'money', factor: factorOf(words, name) };
  return { unit: 'none', factor: 1 };
}

/** Whether an amount under this name is in won. */
export function isWon(name: string): boolean {
  return wordsOfName(name).some((word) => word === 'krw' || word === 'won' || word.endsWith('원'));
}

function factorOf(words: readonly string[], name: string): number {
  if (words.includes('100m') || words.includes('eok') || name.includes('억')) return 1e8;
  if (words.includes('1m') || words.includes('mn') || words.includes('million') || name.includes('백만')) return 1e6;
  if (words.includes('bn') || words.includes('billion')) return 1e9;
  if (words.includes('tn') || words.includes('trillion') || name.includes('조')) return 1e12;
  return 1;
}

/** A date, or an instant as its Korean date and time; nothing for any other text. */
function timesOf(value: string, place: FactPlace): Fact[] {
  const isDate = isCalendarDate(value);
  if (!isDate && !/^\d{4}-\d{2}-\d{2}T/.test(value)) return [];
  const at = isDate ? null : new Date(value);
  if (at !== null && Number.isNaN(at.getTime())) return [];
  const text = at === null ? value : kstDateTime(at);
  const part = (from: number, to: number): number => Number(text.slice(from, to));
  const facts: Fact[] = [{ ...place, form: 'day', year: part(0, 4), month: part(5, 7), day: part(8, 10) }];
  if (at !== null) facts.push({ ...place, form: 'clock', hour: part(11, 13), minute: part(14, 16) });
  return facts;
}
