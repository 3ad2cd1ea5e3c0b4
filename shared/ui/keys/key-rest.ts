/**
 * Decides which keys rest now. While a form, dialog or menu is open, letters belong to it; for half a second after one
 * has closed, letters that were meant for it may still arrive.
 */

/** How long keys rest after a place has closed, and how long a place that has just opened sends nothing, in ms. */
export const REST_MS = 500;

/** A form leaves the keys that walk and scroll active; a dialog or menu takes all keys. */
export type PlaceKind = 'form' | 'dialog';

/** `decisions`: keys that decide rest; `all`: every shortcut rests. */
export type Rest = 'none' | 'decisions' | 'all';

export class KeyRest {
  readonly #now: () => number;
  readonly #places = new Set<{ kind: PlaceKind }>();
  readonly #listeners = new Set<() => void>();
  #restsUntil = Number.NEGATIVE_INFINITY;
  #openedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Registers an open form, dialog or menu. Returns the function that closes it. */
  readonly open = (kind: PlaceKind): (() => void) => {
    const place = { kind };
    this.#places.add(place);
    this.#openedAt = this.#now();
    this.#tell();
    return () => {
      if (this.#places.delete(place)) this.prolong();
    };
  };

  readonly rest = (): Rest => {
    if ([...this.#places].some(({ kind }) => kind === 'dialog')) return 'all';
    return this.#places.size > 0 || this.#now() < this.#restsUntil ? 'decisions' : 'none';
  };

  /** Starts the half second again: a place has closed, or a user who has not noticed types on. */
  readonly prolong = (): void => {
    this.#restsUntil = this.#now() + REST_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tell, REST_MS);
    this.#tell();
  };

  /** The focus moved to an element without a key press of the user. */
  readonly arrive = (): void => {
    this.#openedAt = this.#now();
  };

  /** Whether a place has opened so recently that Space and Enter may still be meant for the element before it. */
  readonly hasJustOpened = (): boolean => this.#now() < this.#openedAt + REST_MS;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
