/**
 * Keyboard shortcuts bound to physical keys (`event.code`): under a Hangul input method the key that
 * carries J still reports `KeyJ`, while its character would be ㅓ.
 */
export interface Shortcut<Action extends string> {
  action: Action;
  /** `KeyboardEvent.code` of its keys. */
  codes: readonly string[];
  /** Whether Shift must be held; otherwise it must not be. */
  shift?: boolean;
  /** Whether holding the key down repeats it. Decisions must not. */
  repeats?: boolean;
  /** Whether it begins or takes back a decision: such a key rests while a form is open. */
  decides?: boolean;
  /** Whether it acts without a form: the same key does not act again within half a second. */
  sends?: boolean;
}

/** The part of a keyboard event that matters here. A `KeyboardEvent` fits. */
export interface KeyPress {
  code: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  repeat: boolean;
  isComposing: boolean;
  defaultPrevented: boolean;
}

/** The part of the focused element that matters here. An `HTMLElement` fits. */
export interface Focused {
  tagName: string;
  isContentEditable?: boolean;
  type?: string;
  getAttribute(name: string): string | null;
}

/** Kinds of `<input>` that take no text. */
const TEXTLESS_INPUTS = new Set(['button', 'checkbox', 'radio', 'submit', 'reset', 'range', 'color', 'file', 'image']);
const TYPING_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
const PRESSED_BY_SPACE = new Set(['BUTTON', 'INPUT', 'SUMMARY', 'A']);
/** Roles that use the arrow keys, and letters for type-ahead, themselves. */
const OWN_KEYS_ROLES = new Set([
  'menu',
  'menuitem',
  'menuitemradio',
  'menuitemcheckbox',
  'listbox',
  'option',
  'tab',
  'radio',
  'slider',
  'tree',
  'treeitem',
]);

/** Whether keys go into a text field now. */
export function isTyping(focused: Focused | null): boolean {
  if (focused === null) return false;
  const tag = focused.tagName.toUpperCase();
  if (tag === 'TEXTAREA' || tag === 'SELECT' || focused.isContentEditable === true) return true;
  if (tag === 'INPUT') return !TEXTLESS_INPUTS.has((focused.type ?? 'text').toLowerCase());
  return TYPING_ROLES.has(focused.getAttribute('role') ?? '');
}

/** Whether the focused element uses this key itself. */
function needsItself(focused: Focused | null, code: string): boolean {
  if (focused === null) return false;
  const tag = focused.tagName.toUpperCase();
  const role = focused.getAttribute('role') ?? '';
  if (code === 'Space') return PRESSED_BY_SPACE.has(tag) || role === 'button';
  if (tag === 'INPUT' && ['radio', 'range'].includes((focused.type ?? '').toLowerCase())) return true;
  // A focused region scrolls with the arrow keys.
  if (role === 'region' && code.startsWith('Arrow')) return true;
  return OWN_KEYS_ROLES.has(role);
}

/** The action of a key press; null for a press that is no shortcut. The caller checks whether its key rests. */
export function shortcutOf<Action extends string>(
  press: KeyPress,
  focused: Focused | null,
  shortcuts: readonly Shortcut<Action>[],
): Shortcut<Action> | null {
  if (press.defaultPrevented || press.isComposing || press.ctrlKey || press.altKey || press.metaKey) return null;
  if (isTyping(focused) || needsItself(focused, press.code)) return null;
  const found = shortcuts.find(
    (shortcut) => shortcut.codes.includes(press.code) && (shortcut.shift ?? false) === press.shiftKey,
  );
  return found === undefined || (press.repeat && found.repeats !== true) ? null : found;
}
