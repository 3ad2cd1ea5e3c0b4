const mainPlace = (): HTMLElement | null => document.getElementById('main');

/** Whether no element has the focus: its element was removed, hidden or disabled. */
function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return (
    activeElement === null ||
    activeElement === body ||
    activeElement === mainPlace() ||
    !activeElement.checkVisibility()
  );
}

/** Moves a lost focus to the main place of the screen. */
export function focusMain(): void {
  if (isFocusLost()) mainPlace()?.focus({ preventScroll: true });
}

/**
 * Returns a lost focus to the element that had it before a place opened; if that is gone, to `otherwise` or the screen.
 */
export function giveFocusBack(opener: Element | null, otherwise: HTMLElement | null = null): void {
  if (!isFocusLost()) return;
  const isThere =
    opener instanceof HTMLElement && ![document.body, mainPlace()].includes(opener) && opener.checkVisibility();
  if (isThere) opener.focus({ preventScroll: true });
  // The opener is gone or disabled by now.
  if (isFocusLost()) (otherwise ?? mainPlace())?.focus({ preventScroll: true });
}

/**
 * A button that is disabled while its answer is awaited loses the focus: it gets the focus back once enabled, unless
 * the user has moved it. Returns the function that gives up.
 */
export function keepFocusOfSwitchedOff(onBack: () => void): () => void {
  let off: EventTarget | null = null;
  // The browser may have taken the focus from a disabled button before the change is told.
  let last: EventTarget | null = document.activeElement;
  const come = ({ target }: FocusEvent): void => void (last = target);
  const go = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement && target.matches(':disabled'))) last = null;
  };
  document.addEventListener('focusin', come);
  document.addEventListener('focusout', go);
  const watch = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      const isOff = target.matches(':disabled');
      if (isOff && target === last) off = target;
      if (isOff || target !== off) continue;
      off = null;
      if (!isFocusLost()) continue;
      onBack();
      target.focus({ preventScroll: true });
    }
  });
  watch.observe(document, { subtree: true, attributes: true, attributeFilter: ['disabled'] });
  return () => {
    watch.disconnect();
    document.removeEventListener('focusin', come);
    document.removeEventListener('focusout', go);
  };
}

/**
 * Moves a lost focus to the element that `find` finds, now or once it is rendered, unless the user has moved it.
 * Returns the function that gives up.
 */
export function giveLostFocus(place: HTMLElement, find: () => HTMLElement | undefined): () => void {
  const watch = new MutationObserver(() => take());
  const take = (): boolean => {
    if (isFocusLost()) {
      const found = find();
      if (found?.checkVisibility() !== true) {
        focusMain();
        return false;
      }
      found.focus({ preventScroll: found.matches('h2') });
    }
    watch.disconnect();
    return true;
  };
  if (!take()) watch.observe(place, { childList: true, subtree: true });
  return () => watch.disconnect();
}
