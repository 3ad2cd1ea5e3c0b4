/**
 * Which keys rest at this moment. While a form, dialog or menu is open, letters belong to it; for half a second after
 * one has closed, letters that were meant for it are still under way.
 */

/** How long keys rest after a place has closed, and how long a place that has just opened sends nothing, in ms. */
export const REST_MS = 500;

/** A form leaves the keys that walk and scroll awake; a dialog or menu takes all of them. */
export type PlaceKind = 'form' | 'dialog';

/** `decisions`: the keys that decide rest; `all`: every shortcut does. */
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

  /** A form, dialog or menu has opened. The answer closes it. */
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

  /** Begins the half second anew: a place has closed, or somebody types on who has not seen that it has. */
  readonly prolong = (): void => {
    this.#restsUntil = this.#now() + REST_MS;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#tell, REST_MS);
    this.#tell();
  };

  /** The focus has come to something that no key of a person has led it to. */
  readonly arrive = (): void => {
    this.#openedAt = this.#now();
  };

  /** Whether something has opened so recently that Space and Enter may still be meant for what was there before. */
  readonly hasJustOpened = (): boolean => this.#now() < this.#openedAt + REST_MS;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
