/**
 * Compares the versions of this page and the API. The page stays open when the API is replaced, so every answer is
 * checked: the first one, and each one after a reconnect.
 */
import type { Fetch } from '../../../shared/ui/http/request.ts';
import {
  differenceOf,
  readVersions,
  VERSION_HEADER,
  type Difference,
  type Versions,
} from '../../../shared/wire/version.ts';

/** The known facts about the other side. */
export interface VersionState {
  /** As the API reports it; null before. */
  api: string | null;
  difference: Difference | null;
  /** A build file of this page no longer exists. */
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

  /** Whether the page cannot go on: it would fail with this API, or another version removed its files. */
  get isOver(): boolean {
    const { difference, lacksFiles } = this.#state;
    return difference !== null && (difference.isIncompatible || lacksFiles);
  }

  /** A `fetch` that checks the version in every answer and sends no change to an incompatible API. */
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

  /** Records that a build file could not be loaded. */
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
