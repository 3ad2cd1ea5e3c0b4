import { useState } from 'react';
import { useProfile } from '../../api/session-context.ts';
import { keep, unsentKey } from '../../components/actions/unsent-text.ts';

/**
 * Keeps the typed forms of the policy in the window like drafts: they outlive a visit to another screen or rule.
 * @param part the rule, or the part of the policy, that the form changes
 * @param untouched the initial content, which is not kept
 */
export function useUnsentForm<T extends object>(part: string, untouched: T): [T, (typed: T | null) => void] {
  const key = unsentKey(useProfile().id, 'policy', part);
  const [kept, setKept] = useState(() => ({ key, typed: read<T>(key) }));
  // Another rule has its own form.
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

/** Reads a stored form; an invalid entry of an older version is ignored. */
function read<T extends object>(key: string): T | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof value === 'object' ? (value as T | null) : null;
  } catch {
    return null;
  }
}
