import { useState } from 'react';
import { useProfile } from '../../api/session-context.ts';
import { keep, keptKey } from '../../components/actions/unsent-text.ts';

/**
 * The typed forms of the policy, kept in the window as drafts are: they outlive a look at another screen or rule.
 * @param part the rule, or the part of the policy, that it changes
 * @param untouched what the form begins with; nothing is kept of it
 */
export function useKeptForm<T extends object>(part: string, untouched: T): [T, (typed: T | null) => void] {
  const key = keptKey(useProfile().id, 'policy', part);
  const [kept, setKept] = useState(() => ({ key, typed: read<T>(key) }));
  // Another rule has a form of its own.
  const now = kept.key === key ? kept : { key, typed: read<T>(key) };
  if (now !== kept) setKept(now);
  return [
    now.typed === null ? untouched : { ...untouched, ...now.typed },
    (typed) => {
      setKept({ key, typed });
      keep(sessionStorage, key, typed === null ? null : JSON.stringify(typed));
    },
  ];
}

/** An entry that an older version has left and that is no form is none. */
function read<T extends object>(key: string): T | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof value === 'object' ? (value as T | null) : null;
  } catch {
    return null;
  }
}
