import type { Shortcut } from '../../shared/ui/keys/shortcuts.ts';

export type WalkKey = 'next' | 'previous' | 'scroll-down' | 'scroll-up' | 'help';
export type UndoKey = 'undo';
export type DecisionKey = 'approve' | 'approve-edited' | 'reject' | 'block';

/** Walking through the queue and reading what is open. */
export const WALK_SHORTCUTS: readonly Shortcut<WalkKey>[] = [
  { action: 'next', codes: ['KeyJ', 'ArrowDown'], repeats: true },
  { action: 'previous', codes: ['KeyK', 'ArrowUp'], repeats: true },
  { action: 'scroll-down', codes: ['Space', 'PageDown'], repeats: true },
  { action: 'scroll-up', codes: ['Space'], shift: true, repeats: true },
  { action: 'scroll-up', codes: ['PageUp'], repeats: true },
  { action: 'help', codes: ['Slash'], shift: true },
];

/** Walking through the samples and the blind reviews. The arrows walk the list that has the focus. */
export const LIST_SHORTCUTS: readonly Shortcut<'next' | 'previous'>[] = [
  { action: 'next', codes: ['KeyJ'], repeats: true },
  { action: 'previous', codes: ['KeyK'], repeats: true },
];

/** Takes back the last approval, while what it let out is held. */
export const UNDO_SHORTCUTS: readonly Shortcut<UndoKey>[] = [{ action: 'undo', codes: ['KeyU'], decides: true }];

/** Each opens its form; a second, deliberate key sends it. */
export const DECISION_SHORTCUTS: readonly Shortcut<DecisionKey>[] = [
  { action: 'approve', codes: ['KeyA'], decides: true },
  { action: 'approve-edited', codes: ['KeyE'], decides: true },
  { action: 'reject', codes: ['KeyR'], decides: true },
  { action: 'block', codes: ['KeyB'], decides: true },
];

/** Asks for a second opinion, or gives the one that a colleague has asked for. */
export const OPINION_SHORTCUTS: readonly Shortcut<'opinion'>[] = [
  { action: 'opinion', codes: ['KeyO'], decides: true },
];
