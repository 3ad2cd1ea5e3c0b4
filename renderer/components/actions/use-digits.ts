import { useEffect, useEffectEvent, type RefObject } from 'react';
import { isTyping } from '../../../shared/ui/keys/shortcuts.ts';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';

/** Reasons after the ninth have no key. */
const KEYED = 9;

/** The digit of an option, counted from 0; null without a digit, or with shortcuts turned off. */
export type DigitOf = (index: number) => string | null;

/**
 * Lets the keys 1 to 9 choose among the options of an open form. A digit decides nothing. @param place the fields; an
 * element above them takes the keys
 */
export function useDigits<T>(
  options: readonly T[],
  place: RefObject<HTMLElement | null>,
  choose: (option: T) => void,
): DigitOf {
  const [shortcuts] = useSwitch('shortcuts');
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const digit = /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1];
    const option = digit === undefined ? undefined : options[Number(digit) - 1];
    if (option === undefined || !isMeant(event, place.current)) return;
    event.preventDefault();
    choose(option);
  });
  useEffect(() => {
    if (!shortcuts) return;
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [shortcuts]);
  return (index) => (shortcuts && index < Math.min(KEYED, options.length) ? String(index + 1) : null);
}

/** Whether a digit is meant for the options: not while typing text, and not while another element covers them. */
function isMeant(event: KeyboardEvent, place: HTMLElement | null): boolean {
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  if (isTyping(focused)) return false;
  // Among several groups in one form, the group with the focus is meant.
  const group = focused?.closest('[data-digits]') ?? null;
  if (group !== null && group !== place) return false;
  const over = focused?.closest('[role=dialog], [role=menu], [role=listbox]') ?? null;
  return over === null || over.contains(place);
}
