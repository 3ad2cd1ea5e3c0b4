/** Compiles catalogues, for the build and for tests. No page carries this code. */
import type { I18n, Messages } from '@lingui/core';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';
import type { Catalogue, Catalogues } from './catalogue.ts';
import { LANGUAGES, type Language } from './languages.ts';
import { markParticles } from './particles.ts';
import { spoken } from './spoken.ts';

const NAME = /^virtual:messages\/(\w+)$/;

/** Compiles every message of a catalogue; invalid ICU stops the build. */
export function compileCatalogue(catalogue: Catalogue): Messages {
  return Object.fromEntries(
    Object.entries(catalogue).map(([id, message]) => [id, compileMessageOrThrow(message, markParticles)]),
  );
}

/** An i18n instance without a page, for tests. */
export function compiledI18n(catalogues: Catalogues, language: Language): I18n {
  return spoken({ locale: language, messages: { [language]: compileCatalogue(catalogues[language]) } });
}

/** Gives the pages `virtual:messages/ko` and `virtual:messages/en`: the compiled messages of one language each. */
export function compiledMessages(catalogues: Catalogues): Plugin {
  return {
    name: 'compiled-messages',
    resolveId: (source) => (NAME.test(source) ? `\0${source}` : null),
    load(id) {
      const named = id.startsWith('\0') ? NAME.exec(id.slice(1))?.[1] : undefined;
      const language = LANGUAGES.find((one) => one === named);
      if (language === undefined) return null;
      const json = JSON.stringify(compileCatalogue(catalogues[language]));
      // Parsed as JSON, which is faster than a script.
      return `export const messages = JSON.parse(${JSON.stringify(json)});`;
    },
  };
}
