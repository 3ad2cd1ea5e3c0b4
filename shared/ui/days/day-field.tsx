import { ActionIcon, Popover, TextInput } from '@mantine/core';
import { useId, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useLanguage, useSharedText } from '../i18n/use-text.ts';
import { DayCalendar } from './day-calendar.tsx';
import { dayText, readDay } from './day-text.ts';
import { Glyph } from '../parts/glyphs.tsx';
import classes from './day-field.module.css';

export interface DayFieldProps {
  label: string;
  /** Position of the label; `hidden`: the group's name alone carries it. */
  labelAt?: 'beside' | 'above' | 'hidden';
  /** `YYYY-MM-DD`, a day in Korea; null for the one that the server chooses. */
  value: string | null;
  /** The first and the last day that may be chosen, if limited. */
  min?: string | undefined;
  max?: string | undefined;
  onChange: (day: string | null) => void;
}

/** A day as the language of the screen writes it, typed or picked; the browser's own field follows the browser's language. */
export function DayField({ label, labelAt = 'beside', value, min, max, onChange }: DayFieldProps): ReactNode {
  const text = useSharedText();
  const language = useLanguage();
  const [typed, setTyped] = useState<string | null>(null);
  const [isOpen, setOpen] = useState(false);
  const field = useId();
  const isWithin = (day: string): boolean => (min === undefined || day >= min) && (max === undefined || day <= max);
  const day = typed === null ? value : readDay(typed);
  const isWrong = typed !== null && typed.trim() !== '' && (day === null || !isWithin(day));

  const take = (chosen: string | null): void => {
    if (chosen !== value) onChange(chosen);
  };
  const finish = (): void => {
    if (typed === null || isWrong) return;
    setTyped(null);
    take(day);
  };
  const type = (written: string): void => {
    setTyped(written);
    // A whole date is complete; a shorter one may still be being typed.
    const whole = /^\d{4}-?\d{2}-?\d{2}$/.test(written.trim()) ? readDay(written) : null;
    if (written === '') take(null);
    else if (whole !== null && isWithin(whole)) take(whole);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') finish();
    else if (event.key === 'Escape' && typed !== null) setTyped(null);
    else if (event.key === 'ArrowDown') setOpen(true);
    else return;
    event.preventDefault();
  };

  return (
    <span className={classes['day']} data-label={labelAt}>
      {labelAt === 'beside' && <label htmlFor={field}>{label}</label>}
      <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus returnFocus withRoles={false}>
        <Popover.Target>
          <span className={classes['field']}>
            <TextInput
              id={field}
              label={labelAt === 'above' ? label : undefined}
              aria-label={labelAt === 'hidden' ? label : undefined}
              value={typed ?? (value === null || value === '' ? '' : dayText(value, language))}
              placeholder={text('day.placeholder')}
              autoComplete="off"
              error={isWrong ? text('day.wrong') : null}
              onChange={(event) => type(event.currentTarget.value)}
              onBlur={finish}
              onKeyDown={onKeyDown}
              rightSectionPointerEvents="all"
              rightSection={
                <ActionIcon
                  variant="subtle"
                  size={24}
                  aria-label={text('day.calendar')}
                  aria-haspopup="dialog"
                  aria-expanded={isOpen}
                  onClick={() => setOpen(!isOpen)}
                >
                  <Glyph name="calendar" />
                </ActionIcon>
              }
            />
          </span>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label={label}>
          <DayCalendar
            language={language}
            day={day}
            isWithin={isWithin}
            onPick={(picked) => {
              setTyped(null);
              setOpen(false);
              take(picked);
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}
