import {
  createContext,
  useContext,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react';
import { KeyRest, type PlaceKind, type Rest } from './key-rest.ts';
import { keepFocusOfSwitchedOff } from './lost-focus.ts';
import { PressGuard } from './press-guard.ts';
import { isTyping } from './shortcuts.ts';

/** One per window: the keys that rest. */
const KeyRestContext = createContext<KeyRest>(new KeyRest(() => performance.now()));

export function useKeyRest(): KeyRest {
  return useContext(KeyRestContext);
}

/** The rest as React state, for components that show it. */
export function useRest(): Rest {
  const rest = useKeyRest();
  return useSyncExternalStore(rest.subscribe, rest.rest);
}

/** Registers an open form, dialog or menu, so that shortcuts rest. */
export function useTakesKeys(kind: PlaceKind, isOpen = true): void {
  const rest = useKeyRest();
  useLayoutEffect(() => (isOpen ? rest.open(kind) : undefined), [rest, kind, isOpen]);
}

/** The same for content that is mounted only while open, such as a menu's. */
export function TakesKeys({ kind }: { kind: PlaceKind }): ReactNode {
  useTakesKeys(kind);
  return null;
}

/** Listens before all other handlers. Mounted once in each console. */
export function PressGuarded({ children }: { children: ReactNode }): ReactNode {
  const rest = useKeyRest();
  const [guard] = useState(() => new PressGuard(rest));
  useEffect(() => keepFocusOfSwitchedOff(rest.arrive), [rest]);
  useEffect(() => {
    const refuse = (event: Event): void => {
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const onDown = (event: KeyboardEvent): void => {
      if (!event.repeat) rest.pressed(event.code, isTyping(focusedNow()));
      if (guard.refusesDown(event, focusedNow())) refuse(event);
    };
    const onUp = (event: KeyboardEvent): void => {
      if (guard.refusesUp(event, focusedNow())) refuse(event);
    };
    const onClick = (event: MouseEvent): void => {
      if (guard.refusesClick(event.detail, controlOf(event.target))) refuse(event);
    };
    const listening = new AbortController();
    const options = { capture: true, signal: listening.signal };
    window.addEventListener('keydown', onDown, options);
    window.addEventListener('keyup', onUp, options);
    window.addEventListener('click', onClick, options);
    return () => listening.abort();
  }, [guard, rest]);
  return children;
}

/** The element that a click on the target activates. */
function controlOf(target: EventTarget | null): Element | null {
  return target instanceof Element ? target.closest('button, a, input, select, label, summary, [role=button]') : null;
}

export function focusedNow(): HTMLElement | null {
  return document.activeElement instanceof HTMLElement ? document.activeElement : null;
}

/** Elements that keep the focus while a user types or chooses in them. */
const HOLDERS = 'input, textarea, select, form, [role=dialog], [role=menu]';

/**
 * Moves the focus to a place because its element is gone; an element that the user has opened or entered meanwhile
 * keeps it.
 */
export function takeLostFocus(
  place: HTMLElement | null | undefined,
  options: FocusOptions = { preventScroll: true },
): void {
  if ((focusedNow()?.closest(HOLDERS) ?? null) === null) place?.focus(options);
}

/** Without checkboxes: a Space that was meant for a text would change one. */
const FIELDS =
  '[data-first], textarea:not([readonly]), select, input:not([type="hidden"], [type="checkbox"], [hidden], [readonly])';

/**
 * Focuses the first text field of a place that has just opened, or another element of it; a dialog's focus trap then
 * leaves it there.
 */
export function focusFirstField(place: HTMLElement | null, otherwise: HTMLElement | null = null): void {
  const fields = [...(place?.querySelectorAll<HTMLElement>(FIELDS) ?? [])];
  const field = fields.find((one) => one.hasAttribute('data-first')) ?? fields[0] ?? otherwise;
  if (field === null) return;
  field.setAttribute('data-autofocus', '');
  field.focus();
}
