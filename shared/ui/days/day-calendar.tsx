import { ActionIcon, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { kstDate } from '../../time/kst.ts';
import type { Language } from '../i18n/languages.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { useNow } from '../time/use-now.ts';
import { dayName, monthText, stepDays, stepMonths, weekdays, weeksOf } from './day-text.ts';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './day-field.module.css';

const STEPS: Readonly<Record<string, (day: string) => string>> = {
  ArrowLeft: (day) => stepDays(day, -1),
  ArrowRight: (day) => stepDays(day, 1),
  ArrowUp: (day) => stepDays(day, -7),
  ArrowDown: (day) => stepDays(day, 7),
  PageUp: (day) => stepMonths(day, -1),
  PageDown: (day) => stepMonths(day, 1),
};

export interface DayCalendarProps {
  language: Language;
  /** The chosen day. */
  day: string | null;
  isWithin: (day: string) => boolean;
  onPick: (day: string) => void;
}

/** One month to pick a day from: arrows step by day and week, Page Up and Page Down by month. */
export function DayCalendar({ language, day, isWithin, onPick }: DayCalendarProps): ReactNode {
  const text = useSharedText();
  const today = kstDate(useNow());
  const [at, setAt] = useState(day === null || day === '' ? today : day);
  const cell = useRef<HTMLButtonElement>(null);
  const isByKey = useRef(false);
  useEffect(() => {
    if (isByKey.current) cell.current?.focus();
    isByKey.current = false;
  }, [at]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    isByKey.current = true;
    setAt(step(at));
  };
  return (
    <div className={classes['calendar']}>
      <div className={classes['month']}>
        <ActionIcon variant="subtle" aria-label={text('day.month.previous')} onClick={() => setAt(stepMonths(at, -1))}>
          <span className={classes['back']}>
            <Glyph name="chevron" />
          </span>
        </ActionIcon>
        <strong aria-live="polite">{monthText(at, language)}</strong>
        <ActionIcon variant="subtle" aria-label={text('day.month.next')} onClick={() => setAt(stepMonths(at, 1))}>
          <span className={classes['on']}>
            <Glyph name="chevron" />
          </span>
        </ActionIcon>
      </div>
      <table>
        <thead>
          <tr>
            {weekdays(language).map(({ short, name }) => (
              <th key={name} scope="col" abbr={name}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(at).map((week) => (
            <tr key={week.find((one) => one !== null)}>
              {week.map((one, index) => (
                <td key={one ?? index}>
                  {one !== null && (
                    <UnstyledButton
                      ref={one === at ? cell : null}
                      className={classes['cell']}
                      tabIndex={one === at ? 0 : -1}
                      data-autofocus={one === at || undefined}
                      aria-pressed={one === day}
                      aria-current={one === today ? 'date' : undefined}
                      disabled={!isWithin(one)}
                      onClick={() => onPick(one)}
                      onKeyDown={onKeyDown}
                    >
                      <span aria-hidden="true">{Number(one.slice(8))}</span>
                      <VisuallyHidden>{dayName(one, language)}</VisuallyHidden>
                    </UnstyledButton>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
