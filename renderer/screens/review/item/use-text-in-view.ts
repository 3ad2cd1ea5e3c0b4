import { useEffect, useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react';
import { focusedNow, useKeyRest } from '../../../../shared/ui/keys/takes-keys.tsx';

/** The text under review (`MarkedText`). */
const TEXT = '[data-reading]';
/** The share of the text, or of the room for it, that counts as visible. */
const ENOUGH = 0.5;

/** Scrolls past a heading or button that the upper edge cuts, so that it is completely visible or hidden. */
function passWhatIsCut(scroller: HTMLElement | null): void {
  if (scroller === null) return;
  const edge = scroller.getBoundingClientRect().top;
  for (const part of scroller.querySelectorAll('h2, h3, button')) {
    const { top, bottom } = part.getBoundingClientRect();
    if (top < edge && bottom > edge) scroller.scrollTop += Math.ceil(bottom - edge);
  }
}

/** Resets scroll and focus when another item is rendered into the same elements. */
function beginAfresh(scroller: HTMLElement | null): void {
  if (scroller === null) return;
  const focused = focusedNow();
  // A button of another item must not keep the focus; the scroller may.
  if (focused !== null && focused !== scroller && scroller.contains(focused))
    scroller.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  for (const opened of scroller.querySelectorAll('details[open]')) opened.removeAttribute('open');
  for (const moved of [scroller, ...scroller.querySelectorAll('[role=region]')]) moved.scrollTo(0, 0);
}

/**
 * Brings a newly opened form into view, and again when content that loads late moves it. It stops at the person's first
 * key, press or wheel turn. Returns a function that stops it.
 */
function holdInView(scroller: HTMLElement | null, bring: () => void): () => void {
  const watch = new ResizeObserver(bring);
  const own = new AbortController();
  const release = (): void => {
    watch.disconnect();
    own.abort();
  };
  for (const input of ['keydown', 'pointerdown', 'wheel'])
    window.addEventListener(input, release, { capture: true, passive: true, signal: own.signal });
  bring();
  for (const part of [scroller, ...(scroller?.children ?? [])]) if (part !== null) watch.observe(part);
  return release;
}

/**
 * Keeps the text under review visible when its item appears and when a form opens beside it. Returns whether the text
 * of this item has been visible at all.
 */
export function useTextInView(scroller: RefObject<HTMLElement | null>, itemId: string): () => boolean {
  const rest = useKeyRest();
  const seenOf = useRef<string | null>(null);
  const bring = useEffectEvent(() => {
    const text = scroller.current?.querySelector<HTMLElement>(TEXT) ?? null;
    if (text === null) return;
    const room = scroller.current?.clientHeight ?? 0;
    text.scrollIntoView({ block: text.offsetHeight > room ? 'start' : 'nearest' });
    // Without room for both, the input field has priority.
    const field = focusedNow();
    const form = field?.closest('form') ?? null;
    if (field !== null && form !== null && scroller.current?.contains(field) === true) {
      form.scrollIntoView({ block: 'nearest' });
      field.scrollIntoView({ block: 'nearest' });
    }
    passWhatIsCut(scroller.current);
  });
  useLayoutEffect(() => {
    beginAfresh(scroller.current);
    bring();
  }, [scroller, itemId]);
  useEffect(() => {
    let frame = 0;
    let release = (): void => undefined;
    const stop = rest.subscribe(() => {
      if (!rest.hasJustOpened() || rest.rest() !== 'decisions') return;
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => {
        release();
        release = holdInView(scroller.current, bring);
      });
    });
    return () => {
      cancelAnimationFrame(frame);
      release();
      stop();
    };
  }, [rest, scroller]);
  useEffect(() => {
    const place = scroller.current;
    if (place === null) return;
    let room = place.clientHeight;
    // An open form grows upwards from below: a text whose end was in view stays in view.
    const watch = new ResizeObserver(() => {
      const before = room;
      room = place.clientHeight;
      const { top } = place.getBoundingClientRect();
      const end = (place.querySelector(TEXT)?.getBoundingClientRect().bottom ?? top) - top;
      if (end > room && end <= before) bring();
    });
    watch.observe(place);
    return () => watch.disconnect();
  }, [scroller]);
  useEffect(() => {
    const text = scroller.current?.querySelector(TEXT);
    if (text === null || text === undefined) return;
    const watch = new IntersectionObserver(
      (entries) => {
        for (const { intersectionRatio, intersectionRect, rootBounds } of entries)
          if (
            intersectionRatio >= ENOUGH ||
            (rootBounds !== null && intersectionRect.height >= rootBounds.height * ENOUGH)
          )
            seenOf.current = itemId;
      },
      { threshold: [0, 0.1, 0.25, ENOUGH, 0.75, 1] },
    );
    watch.observe(text);
    return () => watch.disconnect();
  }, [scroller, itemId]);
  return () => seenOf.current === itemId;
}
