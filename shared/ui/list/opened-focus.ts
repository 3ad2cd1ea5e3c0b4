import { useEffect, useRef, type RefObject } from 'react';
import { useIsNarrow } from '../frame/narrow.ts';
import { openIdOf, useOpenId } from '../frame/open-id.ts';
import { giveLostFocus } from '../keys/lost-focus.ts';

function headingIn(place: HTMLElement): HTMLElement | undefined {
  const heading = place.querySelector<HTMLElement>('[data-detail] h2') ?? undefined;
  if (heading !== undefined && !heading.hasAttribute('tabindex')) heading.tabIndex = -1;
  return heading;
}

const linkTo = (place: HTMLElement, id: string | null): HTMLElement | undefined =>
  [...place.querySelectorAll<HTMLAnchorElement>('a[href]')].find(
    (link) => link.closest('[data-detail]') === null && openIdOf(link.pathname) === id,
  );

/**
 * The focus of a list and of what is open of it, where one hides the other or a way between them has gone: it goes to
 * the heading of what opens, and back to the link of what was open. The open part stands in a `data-detail`.
 */
export function useOpenedFocus(place: RefObject<HTMLElement | null>): void {
  const openId = useOpenId();
  const isNarrow = useIsNarrow();
  const lastId = useRef<string | null>(null);
  useEffect(() => {
    const wasOpen = lastId.current;
    lastId.current = openId;
    const element = place.current;
    if (element === null || (openId === null && wasOpen === null)) return undefined;
    return giveLostFocus(element, () => (openId === null ? linkTo(element, wasOpen) : headingIn(element)));
  }, [place, openId, isNarrow]);
}
