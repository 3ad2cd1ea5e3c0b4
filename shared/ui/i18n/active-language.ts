/** The words of the shown language: fetched when a language is shown for the first time. */
import type { I18n, Messages } from '@lingui/core';
import { LANGUAGES, type Language } from './languages.ts';
import { spoken } from './spoken.ts';

const fetched: Readonly<Record<Language, () => Promise<{ messages: Messages }>>> = {
  ko: () => import('virtual:messages/ko'),
  en: () => import('virtual:messages/en'),
};

/** An i18n instance that shows a language. A missing message shows its id. */
export async function createI18n(language: Language): Promise<I18n> {
  const i18n = spoken();
  show(i18n, language, await wordsOf(language));
  return i18n;
}

/** @throws when the server does not answer */
export async function wordsOf(language: Language): Promise<Messages> {
  return (await fetched[language]()).messages;
}

/** Also sets the page's language, for screen readers, line breaks and fonts. */
export function show(i18n: I18n, language: Language, words: Messages): void {
  i18n.load(language, words);
  i18n.activate(language, [language, ...LANGUAGES.filter((one) => one !== language)]);
  document.documentElement.lang = language;
}
