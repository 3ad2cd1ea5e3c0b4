/**
 * Finds many patterns in one walk over the text (Aho and Corasick, 1975): the time grows with the text and the number
 * of occurrences, not with the number of patterns. Our own, because a policy may hold ten thousand words: flat arrays
 * take a few megabytes, and one object with a map per letter (as packages build it) some ten times as much.
 */
const ROOT = 0;
const NONE = -1;

export class Automaton {
  /** Edges in an open-addressing table: state and code to next state; `#toState` is NONE where a slot is free. */
  readonly #fromState: Int32Array;
  readonly #onCode: Uint16Array;
  readonly #toState: Int32Array;
  readonly #slotMask: number;
  /** Per state: the longest proper suffix that is a state too. */
  readonly #failure: Int32Array;
  /** Per state: the state nearest along the failures, itself included, at which patterns end; or NONE. */
  readonly #report: Int32Array;
  /** Per state: the first pattern that ends there, and per pattern the next one of equal text. */
  readonly #firstPattern: Int32Array;
  readonly #nextPattern: Int32Array;
  readonly #lengths: Int32Array;
  /** The target of each code from the root, where most of a text is read. */
  readonly #fromRoot = new Int32Array(0x1_0000);

  /** A pattern is identified by its place in the list. An empty one is never found. */
  constructor(patterns: readonly Uint16Array[]) {
    const most = 1 + patterns.reduce((sum, pattern) => sum + pattern.length, 0);
    const slots = 2 ** Math.ceil(Math.log2(most * 2));
    this.#slotMask = slots - 1;
    this.#fromState = new Int32Array(slots);
    this.#onCode = new Uint16Array(slots);
    this.#toState = new Int32Array(slots).fill(NONE);
    this.#failure = new Int32Array(most);
    this.#report = new Int32Array(most).fill(NONE);
    this.#firstPattern = new Int32Array(most).fill(NONE);
    this.#nextPattern = new Int32Array(patterns.length).fill(NONE);
    this.#lengths = Int32Array.from(patterns, (pattern) => pattern.length);
    const grown = this.#grow(patterns);
    for (const { state, parent, code } of grown) if (parent === ROOT) this.#fromRoot[code] = state;
    this.#link(grown);
  }

  /**
   * Calls `found` for every occurrence of every pattern, overlapping ones included, in the order of their ends; `end`
   * is exclusive.
   */
  scan(text: Uint16Array, found: (pattern: number, start: number, end: number) => void): void {
    const fromRoot = this.#fromRoot;
    let state = ROOT;
    for (let at = 0; at < text.length; at += 1) {
      const code = text[at] ?? 0;
      state = state === ROOT ? (fromRoot[code] ?? ROOT) : this.#follow(state, code);
      if (state === ROOT) continue;
      for (
        let hit = this.#report[state] ?? NONE;
        hit !== NONE;
        hit = this.#report[this.#failure[hit] ?? ROOT] ?? NONE
      ) {
        for (
          let pattern = this.#firstPattern[hit] ?? NONE;
          pattern !== NONE;
          pattern = this.#nextPattern[pattern] ?? NONE
        ) {
          found(pattern, at + 1 - (this.#lengths[pattern] ?? 0), at + 1);
        }
      }
    }
  }

  /** The state behind the edge `code` of `from`, or -1. */
  step(state: number, code: number): number {
    return this.#toState[this.#slot(state, code)] ?? NONE;
  }

  /** The next state after `code`: the longest suffix of the read text that begins a pattern. */
  #follow(from: number, code: number): number {
    for (let state = from; state !== ROOT; state = this.#failure[state] ?? ROOT) {
      const next = this.step(state, code);
      if (next !== NONE) return next;
    }
    return this.#fromRoot[code] ?? ROOT;
  }

  /** Builds the tree of all patterns; returns its states in the order of depth with the edge to each. */
  #grow(patterns: readonly Uint16Array[]): { state: number; parent: number; code: number }[] {
    const levels: { state: number; parent: number; code: number }[][] = [];
    let states = 1;
    patterns.forEach((pattern, index) => {
      let state = ROOT;
      pattern.forEach((code, depth) => {
        const slot = this.#slot(state, code);
        if (this.#toState[slot] === NONE) {
          this.#fromState[slot] = state;
          this.#onCode[slot] = code;
          this.#toState[slot] = states;
          (levels[depth] ??= []).push({ state: states, parent: state, code });
          states += 1;
        }
        state = this.#toState[slot] ?? ROOT;
      });
      this.#nextPattern[index] = this.#firstPattern[state] ?? NONE;
      this.#firstPattern[state] = index;
    });
    return levels.flat();
  }

  /** Sets failures and reports, parents before children. */
  #link(byDepth: readonly { state: number; parent: number; code: number }[]): void {
    for (const { state, parent, code } of byDepth) {
      const failure = parent === ROOT ? ROOT : this.#follow(this.#failure[parent] ?? ROOT, code);
      this.#failure[state] = failure;
      this.#report[state] = this.#firstPattern[state] === NONE ? (this.#report[failure] ?? NONE) : state;
    }
  }

  /** The slot of an edge, or the free one where it would go. */
  #slot(state: number, code: number): number {
    let hash = Math.imul(state, 0x9e3779b1) ^ Math.imul(code + 1, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & this.#slotMask;
    while (this.#toState[slot] !== NONE && (this.#fromState[slot] !== state || this.#onCode[slot] !== code)) {
      slot = (slot + 1) & this.#slotMask;
    }
    return slot;
  }
}
