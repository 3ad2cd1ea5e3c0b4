import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode } from 'react';

const TYPING_PAUSE_MS = 300;

export interface SearchFieldProps {
  /** The present search, as the address says. */
  value: string;
  label: string;
  onChange: (value: string) => void;
}

/** Searches once the typing pauses; a syllable that an input method is still composing does not search. */
export function SearchField({ value, label, onChange }: SearchFieldProps): ReactNode {
  const [typed, setTyped] = useState(value);
  const [isComposing, setIsComposing] = useState(false);
  const asked = useRef(value);
  useEffect(() => {
    // The value was changed by a link or by going back, not by this field.
    if (value !== asked.current) setTyped(value);
    asked.current = value;
  }, [value]);
  const ask = useEffectEvent(() => {
    if (typed.trim() === asked.current) return;
    asked.current = typed.trim();
    onChange(asked.current);
  });
  useEffect(() => {
    if (isComposing) return;
    const timer = setTimeout(() => ask(), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, isComposing]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onCompositionStart={() => setIsComposing(true)}
      onCompositionEnd={() => setIsComposing(false)}
    />
  );
}
