import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

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
  return (
    <TextInput
      type="date"
      aria-label={label}
      title={label}
      value={value ?? ''}
      max={max}
      onChange={({ currentTarget }) => {
        // Half typed it is empty too; then nothing is asked for yet.
        if (currentTarget.validity.badInput) return;
        onChange(currentTarget.value === '' ? null : currentTarget.value);
      }}
    />
  );
}
