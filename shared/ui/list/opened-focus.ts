import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import { useIsNarrow } from '../frame/narrow.ts';
import { openIdOf, useOpenId } from '../frame/open-id.ts';
import { giveLostFocus } from '../keys/lost-focus.ts';
import { focusedNow } from '../keys/takes-keys.tsx';

const DETAIL = '[data-detail]';

function headingIn(place: HTMLElement): HTMLElement | undefined {
  const heading = place.querySelector<HTMLElement>(`${DETAIL} h2`) ?? undefined;
  if (heading !== undefined && !heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  return heading;
}

const linkTo = (place: HTMLElement, id: string | null): HTMLElement | undefined =>
  [...place.querySelectorAll<HTMLAnchorElement>('a[href]')].find(
    (link) => link.closest(DETAIL) === null && openIdOf(link.pathname) === id,
  );

/**
 * Moves the focus between a list and its open item, where one hides the other or the link between them is gone: to the
 * heading of the opened item, and back to the item's link. The open part has `data-detail`.
 *
 * @param isPanel the opened item always takes the focus, and returns it to the very element that had it
 */
export function useOpenedFocus(place: RefObject<HTMLElement | null>, isPanel = false): void {
  const openId = useOpenId();
  const isNarrow = useIsNarrow();
  const lastId = useRef<string | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const wasOpen = lastId.current;
    lastId.current = openId;
    const element = place.current;
    if (element === null || (openId === null && wasOpen === null)) return undefined;
    if (isPanel && openId !== null && openId !== wasOpen) {
      const focused = focusedNow();
      if (focused?.closest(DETAIL) === null) opener.current = focused;
      // From here the focus is lost and waits for the heading to be rendered.
      focused?.blur();
    }
    return giveLostFocus(element, () => {
      if (openId !== null) return headingIn(element);
      const isThere = opener.current?.matches('main a, main button') === true && opener.current.isConnected;
      return isThere ? (opener.current ?? undefined) : linkTo(element, wasOpen);
    });
  }, [place, openId, isNarrow, isPanel]);
}

/** Elements that use Escape themselves. */
const OWN_ESCAPE = 'input, select, textarea, [role=dialog], [role=menu]';

/** Calls `onEscape` when Escape is pressed inside the place and no other element has used it. */
export function useEscape(place: RefObject<HTMLElement | null>, onEscape: (() => void) | undefined): void {
  const press = useEffectEvent((event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || onEscape === undefined) return;
    if (event.target instanceof Element && event.target.closest(OWN_ESCAPE) === null) onEscape();
  });
  useEffect(() => {
    const element = place.current;
    const listener = (event: KeyboardEvent): void => press(event);
    element?.addEventListener('keydown', listener);
    return () => element?.removeEventListener('keydown', listener);
  }, [place]);
}
