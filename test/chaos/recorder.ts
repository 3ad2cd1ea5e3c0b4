/** Writes down what the parts have answered. Its clock is monotonic and belongs to the test machine alone. */
import type { History, Operation, Text } from './history.ts';

export const now = (): number => performance.now();
/** The wall clock of the test machine at a moment of the monotonic one. */
export const wallOf = (at: number): string => new Date(performance.timeOrigin + at).toISOString();

export class Recorder {
  readonly operations: Operation[] = [];
  readonly texts = new Map<string, Text>();
  readonly counts = new Map<string, number>();

  add(operation: Operation): void {
    this.operations.push(operation);
    this.count(`${operation.kind.toLowerCase()}${'outcome' in operation ? ` ${operation.outcome}` : ''}`);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  history(recorded: History['recorded'] = []): History {
    return { operations: this.operations, texts: this.texts, recorded };
  }
}
