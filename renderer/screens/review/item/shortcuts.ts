import type { Codes } from '../../../../shared/ui/keys/chosen-keys.ts';
import type { Shortcut } from '../../../../shared/ui/keys/shortcuts.ts';

export type ReadKey = 'scroll-down' | 'scroll-up' | 'help';
export type WalkKey = 'next' | 'previous' | 'extend-next' | 'extend-previous' | 'tick' | ReadKey;
export type DecisionKey = 'approve' | 'approve-edited' | 'reject' | 'block';
/** The actions whose keys a user can choose. */
export type ChosenKey = 'next' | 'previous' | 'tick' | 'go' | DecisionKey | 'opinion' | 'undo' | 'later' | 'hand-over';

export const STANDARD_KEYS: Codes<ChosenKey> = {
  next: 'KeyJ',
  previous: 'KeyK',
  tick: 'KeyX',
  go: 'KeyG',
  approve: 'KeyA',
  'approve-edited': 'KeyE',
  reject: 'KeyR',
  block: 'KeyB',
  opinion: 'KeyO',
  undo: 'KeyU',
  later: 'KeyS',
  'hand-over': 'KeyM',
};

export interface ReviewShortcuts {
  /** Walking through the queue and reading the open item. */
  walk: readonly Shortcut<WalkKey>[];
  /** Reading one case, without a queue to walk through. */
  read: readonly Shortcut<ReadKey>[];
  /** Walking through the samples and the blind reviews. The arrow keys walk the list that has the focus. */
  list: readonly Shortcut<'next' | 'previous'>[];
  /** Each opens its form; a second, deliberate key sends it. */
  decisions: readonly Shortcut<DecisionKey>[];
  /** Requests a second opinion, or gives the one that a colleague requested. */
  opinion: readonly Shortcut<'opinion'>[];
  /** Takes back the last approval while its text is on hold. */
  undo: readonly Shortcut<'undo'>[];
  /** Opens the choice of a time to which the open item is put off. */
  later: readonly Shortcut<'later'>[];
  /** Opens the choice of another reviewer for the open item. */
  handOver: readonly Shortcut<'hand-over'>[];
  /** Everywhere: `go` waits for the letter of a screen, `fold` leaves icons of the navigation. */
  anywhere: readonly Shortcut<'go' | 'search' | 'fold'>[];
}

const READING: readonly Shortcut<ReadKey>[] = [
  { action: 'scroll-down', codes: ['Space', 'PageDown'], repeats: true },
  { action: 'scroll-up', codes: ['Space'], shift: true, repeats: true },
  { action: 'scroll-up', codes: ['PageUp'], repeats: true },
  { action: 'help', codes: ['Slash'], shift: true },
];

export function shortcutsWith(codes: Codes<ChosenKey>): ReviewShortcuts {
  const deciding = <Action extends ChosenKey>(action: Action): Shortcut<Action> => ({
    action,
    codes: [codes[action]],
    decides: true,
  });
  return {
    walk: [
      { action: 'next', codes: [codes.next, 'ArrowDown'], repeats: true },
      { action: 'previous', codes: [codes.previous, 'ArrowUp'], repeats: true },
      { action: 'extend-next', codes: [codes.next, 'ArrowDown'], shift: true, repeats: true },
      { action: 'extend-previous', codes: [codes.previous, 'ArrowUp'], shift: true, repeats: true },
      { action: 'tick', codes: [codes.tick] },
      ...READING,
    ],
    read: READING,
    list: [
      { action: 'next', codes: [codes.next], repeats: true },
      { action: 'previous', codes: [codes.previous], repeats: true },
    ],
    decisions: [deciding('approve'), deciding('approve-edited'), deciding('reject'), deciding('block')],
    opinion: [deciding('opinion')],
    undo: [{ ...deciding('undo'), sends: true }],
    later: [deciding('later')],
    handOver: [deciding('hand-over')],
    anywhere: [
      { action: 'go', codes: [codes.go] },
      { action: 'search', codes: ['Slash'] },
      { action: 'fold', codes: ['BracketLeft'] },
    ],
  };
}
