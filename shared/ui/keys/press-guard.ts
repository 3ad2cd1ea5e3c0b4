import type { KeyRest } from './key-rest.ts';
import { isTyping, type Focused } from './shortcuts.ts';

/** The part of a key press that matters here. A `KeyboardEvent` fits. */
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
/** `keyCode` of a press that the input method consumed. Safari reports it after the composition has ended. */
const TAKEN = 229;
const BUTTON_ROLES = new Set(['button', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'switch']);

/**
 * Keeps Space, Enter and the second half of a double click from activating an element that has only just appeared.
 * Enter and Escape belong to the input method while it composes a syllable.
 */
export class PressGuard {
  readonly #rest: Pick<KeyRest, 'hasJustOpened'>;
  /** The element on which the held key went down. */
  #downOn: unknown = null;
  /** The element on which the run of clicks began. */
  #clickedOn: unknown = null;

  constructor(rest: Pick<KeyRest, 'hasJustOpened'>) {
    this.#rest = rest;
  }

  refusesDown(press: Press, focused: Focused | null): boolean {
    if (COMPOSING.has(press.code) && (press.isComposing || press.keyCode === TAKEN)) return true;
    if (!PRESSING.has(press.code)) return false;
    if (!press.repeat) this.#downOn = focused;
    if (!wouldSend(press, focused)) return false;
    // A held key may have opened the element that it is now on; with Ctrl, Enter is a deliberate chord.
    return press.repeat || (this.#rest.hasJustOpened(isTyping(focused)) && !press.ctrlKey && !press.metaKey);
  }

  /** A button acts when Space is released, so a Space pressed down elsewhere is refused. */
  refusesUp(press: Pick<Press, 'code' | 'ctrlKey' | 'metaKey'>, focused: Focused | null): boolean {
    return press.code === 'Space' && wouldSend(press, focused) && focused !== this.#downOn;
  }

  /**
   * @param count position of this click in a run of clicks in one place, as the system counts; 0 for the keyboard
   * @param control the element that would act; null for none
   */
  refusesClick(count: number, control: unknown): boolean {
    if (count <= 1) this.#clickedOn = control;
    return count > 1 && control !== null && control !== this.#clickedOn;
  }
}

/** Whether the press would activate a button or send a form; text input always passes. */
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
