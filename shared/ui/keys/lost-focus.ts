const mainPlace = (): HTMLElement | null => document.getElementById('main');

/** Whether nothing in particular has the focus: the element that had it is gone, hidden or switched off. */
function isFocusLost(): boolean {
  const { activeElement, body } = document;
  return (
    activeElement === null ||
    activeElement === body ||
    activeElement === mainPlace() ||
    !activeElement.checkVisibility()
  );
}

/** Gives a lost focus to the place where the screen stands. */
export function focusMain(): void {
  if (isFocusLost()) mainPlace()?.focus({ preventScroll: true });
}

/** Gives a lost focus back to what had it before something opened; where that is gone, to `otherwise` or the screen. */
export function giveFocusBack(opener: Element | null, otherwise: HTMLElement | null = null): void {
  if (!isFocusLost()) return;
  const isThere =
    opener instanceof HTMLElement && ![document.body, mainPlace()].includes(opener) && opener.checkVisibility();
  if (isThere) opener.focus({ preventScroll: true });
  // It is gone, or is switched off by now.
  if (isFocusLost()) (otherwise ?? mainPlace())?.focus({ preventScroll: true });
}

/**
 * A button that is switched off while its answer is awaited loses the focus: it has it back when it is on again, unless
 * a person has put it elsewhere. The answer gives up.
 */
export function keepFocusOfSwitchedOff(onBack: () => void): () => void {
  let off: EventTarget | null = null;
  const watch = new MutationObserver((changes) => {
    for (const { target } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      const isOff = target.matches(':disabled');
      if (isOff && target === document.activeElement) off = target;
      if (isOff || target !== off) continue;
      off = null;
      if (!isFocusLost()) continue;
      onBack();
      target.focus({ preventScroll: true });
    }
  });
  watch.observe(document, { subtree: true, attributes: true, attributeFilter: ['disabled'] });
  return () => watch.disconnect();
}

/**
 * Gives a lost focus to what `find` finds, now or as soon as it is drawn; not after a person has put it elsewhere.
 * The answer gives up.
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
