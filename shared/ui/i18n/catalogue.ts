/**
 * Message catalogues: plain typed modules, one per language, with ICU syntax for messages with values. The build
 * compiles them (`compiled-messages.ts`), so a page carries neither the message parser nor the language that it does
 * not show.
 */
import { enEventTypes } from './en-event-types.ts';
import { en } from './en.ts';
import { koEventTypes } from './ko-event-types.ts';
import { ko, type SharedMessageId } from './ko.ts';
import type { Language } from './languages.ts';

export type Catalogue<Id extends string = string> = Readonly<Record<Id, string>>;
export type Catalogues<Id extends string = string> = Readonly<Record<Language, Catalogue<Id>>>;

export const sharedCatalogues: Catalogues<SharedMessageId> = {
  ko: { ...ko, ...koEventTypes },
  en: { ...en, ...enEventTypes },
};

/** Merges the messages of both consoles with those of one of them. An id in both is an error. */
export function mergeCatalogues<Id extends string>(own: Catalogues<Id>): Catalogues<Id | SharedMessageId> {
  for (const id of Object.keys(own.ko)) {
    if (id in sharedCatalogues.ko) throw new RangeError(`The message ${id} stands in the shared catalogue already.`);
  }
  return { ko: { ...sharedCatalogues.ko, ...own.ko }, en: { ...sharedCatalogues.en, ...own.en } };
}
