/** The build of both consoles: static files for their API to serve, without inline script and inline style sheet. */
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';
import type { Catalogues } from '../i18n/catalogue.ts';
import { compiledMessages } from '../i18n/compiled-messages.ts';
import { isLanguage } from '../i18n/languages.ts';

/** Tells `start.js` the file of each language's words, so that they are on their way before any module runs. */
const namedWords: Plugin = {
  name: 'named-words',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle }) => {
      const files = Object.values(bundle ?? {}).flatMap((file) =>
        file.type === 'chunk' && file.isDynamicEntry && isLanguage(file.name)
          ? [`data-${file.name}="/${file.fileName}"`]
          : [],
      );
      return html.replace('<script src="/start.js"', `<script ${files.join(' ')} src="/start.js"`);
    },
  },
};

/** @param folder of the pages, where `index.html` lies */
export function pagesConfig(folder: string, catalogues: Catalogues, further: Plugin[] = []): UserConfig {
  return {
    root: folder,
    base: '/',
    publicDir: `${import.meta.dirname}/../public`,
    plugins: [react(), compiledMessages(catalogues), namedWords, ...further],
    build: {
      outDir: `${folder}/dist`,
      emptyOutDir: true,
      target: 'chrome130',
      // A file turned into a data: address would need an exception in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      // One file holds everything up to the first screen, so that no login waits for a second file.
      rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } } },
      reportCompressedSize: true,
    },
  };
}
