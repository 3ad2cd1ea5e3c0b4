/** The parts of a live text of the demo, and helpers for its scenes. */
import type { CalculationDraft, Constituent } from './calculations.ts';
import type { Random } from './random.ts';

/** A document behind a scene; each is a source event of its own. */
export interface SceneDocument {
  document_type: 'NEWS' | 'DISCLOSURE';
  source: string;
  title: string;
  event_type_code: string;
  /** The minutes from its publication to the price. */
  minutesBefore: number;
}

/** One instance of a scene: the same numbers in text, calculation and return. */
export interface Story {
  /** The fund's return in percent, two decimals, never 0. */
  move: number;
  summary: string;
  thread: string;
  calculations: CalculationDraft[];
  documents: SceneDocument[];
  /** The engine's doubts, for the operator alone; absent: not stated, empty: it found none. */
  against?: string[];
}

export type Confidence = 'HIGH' | 'MEDIUM' | 'LOW';

interface SceneBase {
  ticker: string;
  tell(draw: Draw): Story;
}

/** A v2 analysis carries neither type nor confidence (sync protocol 9). */
export type Scene =
  | (SceneBase & {
      engine: 'v1';
      type: 'EVENT_SUPPORTED' | 'UNCERTAIN';
      confidence: readonly [Confidence, ...Confidence[]];
    })
  | (SceneBase & { engine: 'v2' });

/** The values that differ between instances. */
export class Draw {
  readonly #random: Random;
  /** The time of the price in words: "오전 10시 20분 현재" or "장 마감 기준". */
  readonly when: string;

  constructor(random: Random, when: string) {
    this.#random = random;
    this.when = when;
  }

  /** A number from min to max, both included, with so many decimals. */
  between(min: number, max: number, digits: number): number {
    const scale = 10 ** digits;
    const steps = Math.round((max - min) * scale);
    return Math.round(min * scale + Math.floor(this.#random.next() * (steps + 1))) / scale;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[Math.floor(this.#random.next() * items.length)] ?? items[0];
  }

  /** A constituent with a weight and a return from these ranges. */
  stock(name: string, weight: readonly [number, number], change: readonly [number, number]): Constituent {
    return { name, weight_pct: this.between(...weight, 1), return_pct: this.between(...change, 2) };
  }
}

/** "1.94%": without a sign, because the text gives the direction in words. */
export function percent(value: number): string {
  return `${Math.abs(value).toFixed(2)}%`;
}

/** "1.19%p". */
export function points(value: number): string {
  return `${percent(value)}p`;
}

/** "3,412": whole numbers in groups of three. */
export function grouped(value: number): string {
  return String(Math.abs(Math.round(value))).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** A number of a calculation's output. */
export function output(calculation: CalculationDraft, name: string): number {
  const value = calculation.output[name];
  if (typeof value !== 'number') throw new TypeError(`${calculation.title} has no number ${name}`);
  return value;
}

/** The invented press and the pretended disclosure system. */
export type Press =
  | '한강경제'
  | '서울마켓뉴스'
  | '나루금융신문'
  | '미리내비즈'
  | '다온산업일보'
  | '해담글로벌'
  | '가온헬스케어타임스'
  | '새빛에너지뉴스';
export const DISCLOSURES = '모의 전자공시';

export function news(source: Press, event_type_code: string, minutesBefore: number, title: string): SceneDocument {
  return { document_type: 'NEWS', source, title, event_type_code, minutesBefore };
}

export function disclosure(event_type_code: string, minutesBefore: number, title: string): SceneDocument {
  return { document_type: 'DISCLOSURE', source: DISCLOSURES, title, event_type_code, minutesBefore };
}
