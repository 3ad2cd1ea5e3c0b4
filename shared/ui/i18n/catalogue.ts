/**
 * Message catalogues: plain typed modules, one per language, with ICU syntax where a message takes
 * values. They are compiled while the pages are built (`compiled-messages.ts`): a page carries neither the
 * parser of messages nor the language that it does not show.
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

/** The messages of both consoles together with those of one of them. An id that both have is a mistake. */
export function mergeCatalogues<Id extends string>(own: Catalogues<Id>): Catalogues<Id | SharedMessageId> {
  for (const id of Object.keys(own.ko)) {
    if (id in sharedCatalogues.ko) throw new RangeError(`The message ${id} stands in the shared catalogue already.`);
  }
  return { ko: { ...sharedCatalogues.ko, ...own.ko }, en: { ...sharedCatalogues.en, ...own.en } };
}
