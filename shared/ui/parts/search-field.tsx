import { TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';

const TYPING_PAUSE_MS = 300;
/** UTF-16 units; the APIs of both consoles take no longer search. */
const LONGEST_SEARCH = 200;

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

/** What is said of a search that is too long, as a pasted paragraph; null for one that is not. */
export function useTooLong(): (search: string) => string | null {
  const text = useSharedText();
  return (search) => {
    const { length } = search.trim();
    return length > LONGEST_SEARCH ? text('search.tooLong', { most: LONGEST_SEARCH, length }) : null;
  };
}

/** Searches once the typing pauses; a syllable that an input method is still composing does not search. */
export function SearchField({ value, label, onChange }: SearchFieldProps): ReactNode {
  const tooLong = useTooLong();
  const [typed, setTyped] = useState<Typed | null>(null);
  const [isComposing, setIsComposing] = useState(false);
  const hasFollowed = typed !== null && value === typed.asked;
  const isReplaced = typed !== null && !hasFollowed && value !== typed.beside;
  if (isReplaced) setTyped(null);
  else if (hasFollowed && typed.beside !== value) setTyped({ ...typed, beside: value });
  const text = typed === null || isReplaced ? null : typed.text;
  const ask = useEffectEvent(() => {
    const asked = text?.trim() ?? value;
    if (text === null || asked === value || tooLong(asked) !== null) return;
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
      error={tooLong(text ?? value)}
      onChange={(event) => {
        const { value: now } = event.currentTarget;
        setTyped({ beside: value, asked: value, ...typed, text: now });
      }}
      onKeyDown={(event) => {
        // The browser's own Escape clears the field; the next one leaves it, so that the keys of the screen act again.
        if (event.key === 'Escape' && !isComposing && event.currentTarget.value === '') event.currentTarget.blur();
      }}
      onCompositionStart={() => setIsComposing(true)}
      onCompositionEnd={() => setIsComposing(false)}
    />
  );
}
