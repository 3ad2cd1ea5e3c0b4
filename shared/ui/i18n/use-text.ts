/** How components get their words: `const text = useText(); text('state.empty')`. */
import { useLingui } from '@lingui/react';
import type { SharedMessageId } from './ko.ts';
import { isLanguage, type Language } from './languages.ts';

export type TextValues = Readonly<Record<string, string | number>>;
export type Text<Id extends string> = (id: Id, values?: TextValues) => string;

/** Words by id, typed by the existing ids; renders again when the language changes. */
export function useTextOf<Id extends string>(): Text<Id> {
  const { i18n } = useLingui();
  return (id, values) => i18n._(id, values);
}

/** The shown language, for words from outside the catalogues. */
export function useLanguage(): Language {
  const { i18n } = useLingui();
  return isLanguage(i18n.locale) ? i18n.locale : 'ko';
}

/** The words that both consoles share. */
export const useSharedText = useTextOf<SharedMessageId>;
