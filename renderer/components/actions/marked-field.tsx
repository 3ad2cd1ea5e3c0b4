import { useLayoutEffect, useMemo, useRef, type ComponentProps, type ReactNode, type RefObject } from 'react';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';
import { diffBySyllable } from '../../../shared/ui/text/diff.ts';
import { segmentsOf } from '../../../shared/ui/text/segments.ts';
import type { WordHit } from '../../../shared/wire/console/console.ts';
import classes from './actions.module.css';

interface MarkedFieldProps extends Omit<ComponentProps<'textarea'>, 'ref'> {
  ref: RefObject<HTMLTextAreaElement | null>;
  /** The text that hits and figures are about: the field's, or the one shortly before. */
  compared: string;
  hits: readonly WordHit[];
  figures: readonly CheckedFigure[];
  /** The text before the edit: what is new shows in the field, and where something is gone. */
  base: string;
}

const GRAVEST = ['BLOCK', 'REVIEW', 'FIGURE'] as const;

interface Mark {
  start: number;
  end: number;
  severity: (typeof GRAVEST)[number] | 'ADDED' | 'GONE';
}

/** What was added to a text, and the sign after each place where something was removed alone. */
function changesOf(before: string, after: string): Mark[] {
  const marks: Mark[] = [];
  let at = 0;
  const pieces = diffBySyllable(before, after);
  for (const [index, { kind, after: part }] of pieces.entries()) {
    if (kind === 'added') marks.push({ start: at, end: at + part.length, severity: 'ADDED' });
    if (kind === 'removed' && pieces[index + 1]?.kind !== 'added')
      marks.push({ start: Math.min(at, after.length - 1), end: at + 1, severity: 'GONE' });
    at += part.length;
  }
  return marks;
}

/** A text field with its findings underlined: the same text lies beneath it, invisible but for the lines. */
export function MarkedField({ ref, compared, hits, figures, base, ...field }: MarkedFieldProps): ReactNode {
  const beneath = useRef<HTMLDivElement>(null);
  const changes = useMemo(() => changesOf(base, compared), [base, compared]);
  const segments = useMemo(
    () =>
      segmentsOf<Mark>(compared, [
        ...hits,
        ...figures.map((figure) => ({ ...figure, severity: 'FIGURE' as const })),
        ...changes,
      ]),
    [compared, hits, figures, changes],
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
            data-added={ranges.some(({ severity }) => severity === 'ADDED') || undefined}
            data-gone={ranges.some((range) => range.severity === 'GONE' && range.start === start) || undefined}
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
