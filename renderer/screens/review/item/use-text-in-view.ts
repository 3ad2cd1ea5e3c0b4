import { useEffect, useEffectEvent, useLayoutEffect, useRef, type RefObject } from 'react';
import { focusedNow, useKeyRest } from '../../../../shared/ui/keys/takes-keys.tsx';

/** The text that is decided about (`MarkedText`). */
const TEXT = '[data-reading]';
/** So much of the text, or of the room that there is for it, counts as having been in view. */
const ENOUGH = 0.5;

/** Scrolls on past a heading or button that the upper edge cuts through: all of it is in view or nothing. */
function passWhatIsCut(scroller: HTMLElement | null): void {
  if (scroller === null) return;
  const edge = scroller.getBoundingClientRect().top;
  for (const part of scroller.querySelectorAll('h2, h3, button')) {
    const { top, bottom } = part.getBoundingClientRect();
    if (top < edge && bottom > edge) scroller.scrollTop += Math.ceil(bottom - edge);
  }
}

/** A person's view of one item is not carried to another that is drawn into the same elements. */
function beginAfresh(scroller: HTMLElement | null): void {
  if (scroller === null) return;
  const focused = focusedNow();
  // The same button of another item is another button; the scroller itself stays what it is.
  if (focused !== null && focused !== scroller && scroller.contains(focused))
    scroller.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  for (const opened of scroller.querySelectorAll('details[open]')) opened.removeAttribute('open');
  for (const moved of [scroller, ...scroller.querySelectorAll('[role=region]')]) moved.scrollTo(0, 0);
}

/**
 * Brings a form that has just opened into view, and again whenever what is read late moves it or takes its room. From
 * the first key, press or turn of the wheel on, the view is the person's. The answer ends it.
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
 * Keeps the text that is decided about in view when its item comes and when a form opens beside it. The answer is
 * whether the text of this item has been in view at all.
 */
export function useTextInView(scroller: RefObject<HTMLElement | null>, itemId: string): () => boolean {
  const rest = useKeyRest();
  const seenOf = useRef<string | null>(null);
  const bring = useEffectEvent(() => {
    const text = scroller.current?.querySelector<HTMLElement>(TEXT) ?? null;
    if (text === null) return;
    const room = scroller.current?.clientHeight ?? 0;
    text.scrollIntoView({ block: text.offsetHeight > room ? 'start' : 'nearest' });
    // Where there is no room for both, the field that one writes in comes first.
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
    // An open form that grows takes its room from below: a text whose end was in view stays so.
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
