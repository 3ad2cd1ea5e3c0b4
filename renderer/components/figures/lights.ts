/**
 * A figure of the text, its row in the table and the evidence that it is held against light each other: an element has
 * `data-light` with the names of its figures, and while one has the pointer or the focus, all that share a name are lit.
 * Set on the elements themselves: no part of the screen renders again for a moved pointer.
 */
import { useEffect, type RefObject } from 'react';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';

export const lightOf = ({ start }: Pick<CheckedFigure, 'start'>): string => `f${start}`;

/** The lights of an evidence, by its place; undefined where no figure is held against it. */
export function lightsOfEvidence(figures: readonly CheckedFigure[], index: number): string | undefined {
  const lights = figures.filter(({ support }) => support.by?.index === index).map(lightOf);
  return lights.length === 0 ? undefined : lights.join(' ');
}

/** @param id of the item, which begins without a light */
export function useLights(place: RefObject<HTMLElement | null>, id: string): void {
  useEffect(() => {
    const within = place.current;
    if (within === null) return;
    const light = (target: EventTarget | null): void => {
      const from = target instanceof Element ? target.closest('[data-light]') : null;
      const names = namesOf(from);
      for (const one of within.querySelectorAll('[data-light]'))
        one.toggleAttribute('data-lit', one !== from && namesOf(one).some((name) => names.includes(name)));
    };
    const listening = new AbortController();
    const { signal } = listening;
    for (const begins of ['pointerover', 'focusin'])
      within.addEventListener(begins, ({ target }) => light(target), { signal });
    for (const ends of ['pointerleave', 'focusout']) within.addEventListener(ends, () => light(null), { signal });
    return () => {
      light(null);
      listening.abort();
    };
  }, [place, id]);
}

const namesOf = (element: Element | null): string[] => element?.getAttribute('data-light')?.split(' ') ?? [];
