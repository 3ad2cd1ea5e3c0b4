/**
 * Message catalogues: plain typed modules, one per language, with ICU syntax where a message takes
 * values. They are compiled when a language is first activated, so that a lookup costs no parsing.
 */
import { setupI18n, type I18n, type Messages } from '@lingui/core';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { LANGUAGES, type Language } from './languages.ts';
import { en } from './en.ts';
import { ko, type SharedMessageId } from './ko.ts';

export type Catalogue<Id extends string = string> = Readonly<Record<Id, string>>;
export type Catalogues<Id extends string = string> = Readonly<Record<Language, Catalogue<Id>>>;

export const sharedCatalogues: Catalogues<SharedMessageId> = { ko, en };

/** The messages of both consoles together with those of one of them. An id that both have is a mistake. */
export function mergeCatalogues<Id extends string>(own: Catalogues<Id>): Catalogues<Id | SharedMessageId> {
  for (const id of Object.keys(own.ko)) {
    if (id in ko) throw new RangeError(`The message ${id} stands in the shared catalogue already.`);
  }
  return { ko: { ...ko, ...own.ko }, en: { ...en, ...own.en } };
}

/** Compiles every message of a catalogue; one that is not valid ICU stops the start. */
export function compileCatalogue(catalogue: Catalogue): Messages {
  return Object.fromEntries(Object.entries(catalogue).map(([id, message]) => [id, compileMessageOrThrow(message)]));
}

/** An i18n instance with both languages known and one of them active. A missing message shows its id. */
export function createI18n(catalogues: Catalogues, language: Language): I18n {
  const i18n = setupI18n();
  activate(i18n, catalogues, language);
  return i18n;
}

const compiled = new WeakMap<I18n, Set<Language>>();

export function activate(i18n: I18n, catalogues: Catalogues, language: Language): void {
  const done = compiled.get(i18n) ?? new Set();
  compiled.set(i18n, done);
  if (!done.has(language)) {
    done.add(language);
    i18n.load(language, compileCatalogue(catalogues[language]));
  }
  i18n.activate(
    language,
    [...LANGUAGES].sort((one) => (one === language ? -1 : 1)),
  );
}
