/**
 * Whether this page and the API behind it are of versions that fit. The page stays in its window when the API under it
 * is replaced, so every answer is looked at: the first one, and whatever is asked after a reconnect.
 */
import type { Fetch } from '../../../shared/ui/http/request.ts';
import {
  differenceOf,
  readVersions,
  VERSION_HEADER,
  type Difference,
  type Versions,
} from '../../../shared/wire/version.ts';

/** The known facts of the other side. */
export interface VersionState {
  /** As the API tells it; null until it has. */
  api: string | null;
  difference: Difference | null;
  /** A file of this page's build is not there any more. */
  lacksFiles: boolean;
}

export class VersionWatch {
  readonly #own: Versions;
  #state: VersionState = { api: null, difference: null, lacksFiles: false };
  readonly #listeners = new Set<() => void>();

  constructor(own: Versions) {
    this.#own = own;
  }

  get own(): string {
    return this.#own.product;
  }

  get state(): VersionState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether the page cannot go on: it would fail with this API, or it has lost files to another version. */
  get isOver(): boolean {
    const { difference, lacksFiles } = this.#state;
    return difference !== null && (difference.isIncompatible || lacksFiles);
  }

  /** A `fetch` that compares what every answer tells, and writes nothing to an API that does not fit. */
  watching(fetch: Fetch): Fetch {
    return async (input, init) => {
      if (init.method !== 'GET' && this.#state.difference?.isIncompatible === true)
        throw new TypeError('This page and the console API are of different versions.');
      const response = await fetch(input, init);
      const told = readVersions(response.headers.get(VERSION_HEADER));
      if (told !== null) this.#take(told);
      return response;
    };
  }

  /** A file of the build could not be loaded. */
  lackFile(): void {
    if (!this.#state.lacksFiles) this.#become({ ...this.#state, lacksFiles: true });
  }

  #take(told: Versions): void {
    const difference = differenceOf(this.#own, told, 'api');
    const { api, difference: before } = this.#state;
    if (api === told.product && before?.isIncompatible === difference?.isIncompatible) return;
    this.#become({ ...this.#state, api: told.product, difference });
  }

  #become(state: VersionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
