import { Button } from '@mantine/core';
import { useEffect, useEffectEvent, type ReactNode, type RefObject } from 'react';
import type { CheckedFigure } from '../../../shared/evidence/support.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './actions.module.css';
import { nextPlace, type FoundInEdit } from './findings.ts';
import { showPlace } from './marked-field.tsx';

/**
 * The numbers of findings in an edited text, beside the buttons that send it and so always in view. F8 selects the next
 * one in the text.
 */
export function FindingsBar({
  form,
  found,
  open,
}: {
  form: RefObject<HTMLFormElement | null>;
  /** Null where the server has not screened this text yet. */
  found: FoundInEdit | null;
  /** The figures without evidence. */
  open: readonly CheckedFigure[];
}): ReactNode {
  const text = useText();
  const places = [...(found?.hits ?? []), ...open];
  const goOn = (): void => {
    const field = form.current?.querySelector('textarea');
    if (field === null || field === undefined) return;
    const place = nextPlace(places, { start: field.selectionStart, end: field.selectionEnd });
    if (place !== null) showPlace(field, place);
  };
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'F8' || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.isComposing)
      return;
    event.preventDefault();
    goOn();
  });
  useEffect(() => {
    const element = form.current;
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
  }, [form]);
  const counts = [
    ['words', found?.hits.length],
    ['figures', open.length],
    ['notices', found?.missing.length],
  ] as const;
  return (
    <div className={classes['findings']} role="group" aria-label={text('edit.findings')}>
      {counts.map(([what, count]) => (
        <span key={what} data-open={count === undefined || count === 0 ? undefined : true}>
          {text(`edit.findings.${what}`, { count: count ?? '–' })}
        </span>
      ))}
      <Button variant="default" size="compact-xs" disabled={places.length === 0} onClick={goOn}>
        {text('edit.findings.next')}
      </Button>
    </div>
  );
}
