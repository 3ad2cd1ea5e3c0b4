/** Keeps what the last page of a dossier was made of until it is printed, so that file and PDF are of one reading. */
import type { Asked } from '../../../agent/ledger/dossier/collect.ts';
import type { Collection } from '../../../agent/ledger/dossier/make.ts';

/** The desktop program prints a page within seconds. */
const KEPT_MS = 120_000;

export class Printing {
  #last: { of: string; collection: Collection } | null = null;
  #timer: NodeJS.Timeout | undefined;

  keep(person: string, asked: Asked, collection: Collection): void {
    this.#last = { of: nameOf(person, asked), collection };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#last = null), KEPT_MS).unref();
  }

  /** Null where another page was read since, or too long ago. */
  take(person: string, asked: Asked, now: Date): Collection | null {
    const last = this.#last;
    if (last?.of !== nameOf(person, asked)) return null;
    this.#last = null;
    const { collection } = last;
    return now.getTime() - collection.at.getTime() <= KEPT_MS ? collection : null;
  }
}

const nameOf = (person: string, asked: Asked): string => JSON.stringify([person, asked]);
