import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

export interface DayFieldProps {
  label: string;
  /** `YYYY-MM-DD`, a day in Korea; null for the one that the server chooses. */
  value: string | null;
  onChange: (day: string | null) => void;
}

/** A day by the browser's own field, which every keyboard and every language of it knows. */
export function DayField({ label, value, onChange }: DayFieldProps): ReactNode {
  return (
    <TextInput
      type="date"
      aria-label={label}
      title={label}
      value={value ?? ''}
      onChange={({ currentTarget }) => {
        // Half typed it is empty too; then nothing is asked for yet.
        if (currentTarget.validity.badInput) return;
        onChange(currentTarget.value === '' ? null : currentTarget.value);
      }}
    />
  );
}
