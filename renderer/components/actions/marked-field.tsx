import { useLayoutEffect, useMemo, useRef, type ComponentProps, type ReactNode, type RefObject } from 'react';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';
import { segmentsOf } from '../../../shared/ui/text/segments.ts';
import type { WordHit } from '../../../shared/wire/console/console.ts';
import classes from './actions.module.css';

interface MarkedFieldProps extends Omit<ComponentProps<'textarea'>, 'ref'> {
  ref: RefObject<HTMLTextAreaElement | null>;
  /** The text that hits and figures are about: the field's, or the one shortly before. */
  compared: string;
  hits: readonly WordHit[];
  figures: readonly CheckedFigure[];
}

const GRAVEST = ['BLOCK', 'REVIEW', 'FIGURE'] as const;

/** A text field with its findings underlined: the same text lies beneath it, invisible but for the lines. */
export function MarkedField({ ref, compared, hits, figures, ...field }: MarkedFieldProps): ReactNode {
  const beneath = useRef<HTMLDivElement>(null);
  const segments = useMemo(
    () => segmentsOf(compared, [...hits, ...figures.map((figure) => ({ ...figure, severity: 'FIGURE' as const }))]),
    [compared, hits, figures],
  );
  const follow = (): void => {
    if (beneath.current !== null) beneath.current.scrollTop = ref.current?.scrollTop ?? 0;
  };
  useLayoutEffect(follow);
  return (
    <div className={classes['field']}>
      <div ref={beneath} className={classes['beneath']} lang="ko" aria-hidden data-beneath>
        {segments.map(({ text, start, ranges }) => (
          <span
            key={start}
            data-start={start}
            data-severity={GRAVEST.find((one) => ranges.some(({ severity }) => severity === one))}
          >
            {text}
          </span>
        ))}
        {/* A last line break alone would have no height. */}
        {'\u200b'}
      </div>
      <textarea {...field} ref={ref} lang="ko" spellCheck={false} onScroll={follow} />
    </div>
  );
}

/** Selects a place of a marked field and scrolls to it, which a browser does for typing alone. */
export function showPlace(field: HTMLTextAreaElement, { start, end }: { start: number; end: number }): void {
  field.setSelectionRange(start, end);
  field.focus({ preventScroll: true });
  const place = field.parentElement?.querySelector<HTMLElement>(`[data-beneath] [data-start="${start}"]`);
  if (place !== null && place !== undefined)
    field.scrollTop = place.offsetTop - (field.clientHeight - place.offsetHeight) / 2;
}
