import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import classes from './day-field.module.css';

export interface DayFieldProps {
  label: string;
  /** `YYYY-MM-DD`, a day in Korea; null for the one that the server chooses. */
  value: string | null;
  /** The last day that can be picked, where there is one. */
  max?: string | undefined;
  onChange: (day: string | null) => void;
}

/** A day by the browser's own field, which every keyboard and every language of it knows. */
export function DayField({ label, value, max, onChange }: DayFieldProps): ReactNode {
  /** While a year is being typed it is one of the first thousand: nobody asks for that. */
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <label className={classes['day']}>
      <span>{label}</span>
      <TextInput
        type="date"
        value={typed ?? value ?? ''}
        max={max}
        onBlur={() => setTyped(null)}
        onChange={({ currentTarget: { value: day, validity } }) => {
          // Half typed it is empty too; then nothing is asked for yet.
          if (validity.badInput) return;
          const isHalf = day.startsWith('0');
          setTyped(isHalf ? day : null);
          if (!isHalf) onChange(day === '' ? null : day);
        }}
      />
    </label>
  );
}
