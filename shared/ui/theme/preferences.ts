/** A user's preferences on this machine: language and shortcuts. Mantine keeps the colour scheme under its own key. */
import { useCallback, useSyncExternalStore } from 'react';
import { isLanguage, languageOfSystem, type Language } from '../i18n/languages.ts';

export const SCHEME_KEY = 'causeway.scheme';
const LANGUAGE_KEY = 'causeway.language';

/** Notifies readers in this window; the browser's `storage` event notifies other windows. */
const CHANGED = 'causeway-preference';

function subscribe(listener: () => void): () => void {
  window.addEventListener('storage', listener);
  window.addEventListener(CHANGED, listener);
  return () => {
    window.removeEventListener('storage', listener);
    window.removeEventListener(CHANGED, listener);
  };
}

function write(key: string, value: string): void {
  localStorage.setItem(key, value);
  window.dispatchEvent(new Event(CHANGED));
}

function erase(key: string): void {
  localStorage.removeItem(key);
  window.dispatchEvent(new Event(CHANGED));
}

/** The chosen language, or else the system's. */
export function preferredLanguage(): Language {
  const stored = localStorage.getItem(LANGUAGE_KEY);
  return isLanguage(stored) ? stored : languageOfSystem(navigator.languages);
}

export function useLanguagePreference(): [Language, (language: Language) => void] {
  const language = useSyncExternalStore(subscribe, preferredLanguage);
  const choose = useCallback((next: Language) => write(LANGUAGE_KEY, next), []);
  return [language, choose];
}

/** Switches that a user sets on this machine. */
export type SwitchName = 'shortcuts' | 'go-to-next' | 'wide-navigation' | 'first-keys';

/** A switch that is on by default. */
export function useSwitch(name: SwitchName): [boolean, (on: boolean) => void] {
  const key = `causeway.${name}`;
  const on = useSyncExternalStore(subscribe, () => localStorage.getItem(key) !== 'off');
  const set = useCallback((next: boolean) => write(key, next ? 'on' : 'off'), [key]);
  return [on, set];
}

/** Changes a text that a user keeps on this machine under a name, outside of a component. */
export function changeStored(name: string, change: (kept: string | null) => string): void {
  const key = `causeway.${name}`;
  write(key, change(localStorage.getItem(key)));
}

/** A text that a user keeps on this machine under a name; null without one. */
export function useStored(name: string): [string | null, (text: string) => void, forget: () => void] {
  const key = `causeway.${name}`;
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const store = useCallback((text: string) => write(key, text), [key]);
  const forget = useCallback(() => erase(key), [key]);
  return [stored, store, forget];
}
