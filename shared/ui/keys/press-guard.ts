import type { KeyRest } from './key-rest.ts';
import { isTyping, type Focused } from './shortcuts.ts';

/** The part of a press that decides. A `KeyboardEvent` fits. */
export interface Press {
  code: string;
  repeat: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

const PRESSING = new Set(['Space', 'Enter', 'NumpadEnter']);
/** Keys with which an input method ends or drops a syllable. */
const COMPOSING = new Set(['Enter', 'NumpadEnter', 'Escape']);
/** `keyCode` of a press that the input method has taken. Safari says so after the composition has ended. */
const TAKEN = 229;
const BUTTON_ROLES = new Set(['button', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'switch']);

/**
 * Space, Enter and the second half of a double click never send what has only just opened or come under the hand. Enter
 * and Escape belong to the input method while it composes a syllable.
 */
export class PressGuard {
  readonly #rest: Pick<KeyRest, 'hasJustOpened'>;
  /** Where the key that is held went down. */
  #downOn: unknown = null;
  /** Where the run of clicks in one place began. */
  #clickedOn: unknown = null;

  constructor(rest: Pick<KeyRest, 'hasJustOpened'>) {
    this.#rest = rest;
  }

  refusesDown(press: Press, focused: Focused | null): boolean {
    if (COMPOSING.has(press.code) && (press.isComposing || press.keyCode === TAKEN)) return true;
    if (!PRESSING.has(press.code)) return false;
    if (!press.repeat) this.#downOn = focused;
    if (!wouldSend(press, focused)) return false;
    // A key that is held may have opened what it is now on; with Ctrl, Enter is a chord that is meant.
    return press.repeat || (this.#rest.hasJustOpened() && !press.ctrlKey && !press.metaKey);
  }

  /** A button is pressed when Space goes up: not by a Space that went down elsewhere. */
  refusesUp(press: Pick<Press, 'code' | 'ctrlKey' | 'metaKey'>, focused: Focused | null): boolean {
    return press.code === 'Space' && wouldSend(press, focused) && focused !== this.#downOn;
  }

  /**
   * @param count how many clicks in one place this one is of, as the system counts them; 0 for a press by the keyboard
   * @param control what would act; null where nothing does
   */
  refusesClick(count: number, control: unknown): boolean {
    if (count <= 1) this.#clickedOn = control;
    return count > 1 && control !== null && control !== this.#clickedOn;
  }
}

/** Whether a button would be pressed or a form sent; words are typed in any case. */
function wouldSend(
  { code, ctrlKey, metaKey }: Pick<Press, 'code' | 'ctrlKey' | 'metaKey'>,
  focused: Focused | null,
): boolean {
  if (focused === null) return false;
  const tag = focused.tagName.toUpperCase();
  if (isTyping(focused)) return code !== 'Space' && (tag === 'INPUT' || ctrlKey || metaKey);
  return (
    tag === 'BUTTON' || (tag === 'INPUT' && code !== 'Space') || BUTTON_ROLES.has(focused.getAttribute('role') ?? '')
  );
}
