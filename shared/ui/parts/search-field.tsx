import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';

const TYPING_PAUSE_MS = 300;

export interface SearchFieldProps {
  /** The present search, as the address says. */
  value: string;
  label: string;
  onChange: (value: string) => void;
}

/** What the user has typed. */
interface Typed {
  text: string;
  /** The search beside which it stands; another one came from a link and replaces it. */
  beside: string;
  /** The search that it has asked for, until the address follows. */
  asked: string;
}

/** Searches once the typing pauses; a syllable that an input method is still composing does not search. */
export function SearchField({ value, label, onChange }: SearchFieldProps): ReactNode {
  const [typed, setTyped] = useState<Typed | null>(null);
  const [isComposing, setIsComposing] = useState(false);
  const hasFollowed = typed !== null && value === typed.asked;
  const isReplaced = typed !== null && !hasFollowed && value !== typed.beside;
  if (isReplaced) setTyped(null);
  else if (hasFollowed && typed.beside !== value) setTyped({ ...typed, beside: value });
  const text = typed === null || isReplaced ? null : typed.text;
  const ask = useEffectEvent(() => {
    const asked = text?.trim() ?? value;
    if (text === null || asked === value) return;
    setTyped({ text, beside: value, asked });
    onChange(asked);
  });
  useEffect(() => {
    if (text === null || isComposing) return;
    const timer = setTimeout(() => ask(), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, isComposing]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      value={text ?? value}
      onChange={(event) => {
        const { value: now } = event.currentTarget;
        setTyped({ beside: value, asked: value, ...typed, text: now });
      }}
      onCompositionStart={() => setIsComposing(true)}
      onCompositionEnd={() => setIsComposing(false)}
    />
  );
}
