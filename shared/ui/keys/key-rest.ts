/**
 * Decides which keys rest now. While a form, dialog or menu is open, letters belong to it. Once it has closed, every key
 * acts at once, because opening a form is harmless; only the key that has just sent does not send again.
 */

/** How long the key of a send sends nothing more, and a place that has just opened neither, in ms. */
export const REST_MS = 500;

const MODIFIER = /^(?:Control|Shift|Alt|Meta|OS)/;

/** A form leaves the keys that walk and scroll active; a dialog or menu takes all keys. */
export type PlaceKind = 'form' | 'dialog';

/** `decisions`: keys that decide rest; `all`: every shortcut rests. */
export type Rest = 'none' | 'decisions' | 'all';

/** What a key does now, for a list of everything that can be done. */
export interface Act {
  action: string;
  /** `KeyboardEvent.code` of its first key. */
  code: string;
  decides: boolean;
  run: () => void;
}

export class KeyRest {
  readonly #now: () => number;
  readonly #acts = new Set<() => readonly Act[]>();
  readonly #places = new Set<{ kind: PlaceKind; openedAt: number }>();
  readonly #listeners = new Set<() => void>();
  #arrivedAt = Number.NEGATIVE_INFINITY;
  #typedAt = Number.NEGATIVE_INFINITY;
  #sent: { code: string; at: number } | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Registers an open form, dialog or menu. Returns the function that closes it. */
  readonly open = (kind: PlaceKind): (() => void) => {
    const place = { kind, openedAt: this.#now() };
    this.#places.add(place);
    this.#tell();
    return () => {
      if (this.#places.delete(place)) this.#tell();
    };
  };

  readonly rest = (): Rest => {
    if ([...this.#places].some(({ kind }) => kind === 'dialog')) return 'all';
    return this.#places.size > 0 ? 'decisions' : 'none';
  };

  /** Registers what the keys of a part of the screen do. Returns the function that takes it back. */
  readonly offer = (acts: () => readonly Act[]): (() => void) => {
    this.#acts.add(acts);
    return () => this.#acts.delete(acts);
  };

  /** What may be done now; with a form open, nothing that decides. */
  readonly acts = (): Act[] => {
    const rest = this.rest();
    if (rest === 'all') return [];
    return [...this.#acts].flatMap((acts) => acts()).filter(({ decides }) => rest === 'none' || !decides);
  };

  /** This key has sent a decision, or taken one back. */
  readonly sent = (code: string): void => {
    this.#sent = { code, at: this.#now() };
  };

  /**
   * A key goes down. Another one than that of the send means what comes, and so does the key of the send after it.
   *
   * @param isTyping whether it goes into a text field
   */
  readonly pressed = (code: string, isTyping: boolean): void => {
    if (MODIFIER.test(code)) return;
    if (this.#sent !== null && code !== this.#sent.code) this.#sent = null;
    if (isTyping && code !== 'Space' && !code.endsWith('Enter')) this.#typedAt = this.#now();
  };

  /** The last send was refused: its key may send it again at once. */
  readonly refused = (): void => {
    this.#sent = null;
  };

  /** Whether this key has sent so recently that this press is not meant for the next item. */
  readonly hasJustSent = (code: string): boolean =>
    this.#sent !== null && this.#sent.code === code && this.#now() < this.#sent.at + REST_MS;

  /** The focus moved to an element without a key press of the user. */
  readonly arrive = (): void => {
    this.#arrivedAt = this.#now();
  };

  /**
   * Whether an open place has opened so recently that Space and Enter may still be meant for the element before it.
   *
   * @param inField the press is in a text field: a person who has typed since means what comes
   */
  readonly hasJustOpened = (inField = false): boolean =>
    [this.#arrivedAt, ...[...this.#places].map(({ openedAt }) => openedAt)].some(
      (at) => (!inField || at >= this.#typedAt) && this.#now() < at + REST_MS,
    );

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
