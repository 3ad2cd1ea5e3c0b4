/** Writes down what the parts have answered. Its clock is monotonic and belongs to the test machine alone. */
import type { Calm, ForbiddenWord, History, Operation, Text } from './history.ts';

export const now = (): number => performance.now();
/** The wall clock of the test machine at a moment of the monotonic one. */
export const wallOf = (at: number): string => new Date(performance.timeOrigin + at).toISOString();

export class Recorder {
  readonly operations: Operation[] = [];
  readonly texts = new Map<string, Text>();
  readonly words: ForbiddenWord[] = [];
  readonly counts = new Map<string, number>();
  calm: Calm | null = null;
  readonly #underWay = new Set<{ begin: number }>();

  add(operation: Operation): void {
    this.operations.push(operation);
    this.count(`${operation.kind.toLowerCase()}${'outcome' in operation ? ` ${operation.outcome}` : ''}`);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Work that changes what others see before its own answer is written down. */
  async underWay<T>(work: () => Promise<T>): Promise<T> {
    const one = { begin: now() };
    this.#underWay.add(one);
    try {
      return await work();
    } finally {
      this.#underWay.delete(one);
    }
  }

  /** What can be judged while writes are under way: what was seen before the first of them began. */
  soFar(): History {
    const until = Math.min(...Array.from(this.#underWay, ({ begin }) => begin));
    return {
      operations: this.operations.filter((operation) => {
        const mayBeSeen = 'outcome' in operation && operation.outcome !== 'REFUSED';
        return operation.kind === 'BUNDLE' || (mayBeSeen ? operation.begin : operation.end) <= until;
      }),
      texts: this.texts,
      words: this.words,
      recorded: [],
      calm: null,
    };
  }

  history(recorded: History['recorded'] = []): History {
    const { operations, texts, words, calm } = this;
    return { operations, texts, words, recorded, calm };
  }
}
