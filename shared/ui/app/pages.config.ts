/** The build of both consoles: static files for their API to serve, without inline script and inline style sheet. */
import react from '@vitejs/plugin-react';
import type { Plugin, UserConfig } from 'vite';
import type { Catalogues } from '../i18n/catalogue.ts';
import { compiledMessages } from '../i18n/compiled-messages.ts';

/** @param folder of the pages, where `index.html` lies */
export function pagesConfig(folder: string, catalogues: Catalogues, further: Plugin[] = []): UserConfig {
  return {
    root: folder,
    base: '/',
    publicDir: `${import.meta.dirname}/../public`,
    plugins: [react(), compiledMessages(catalogues), ...further],
    build: {
      outDir: `${folder}/dist`,
      emptyOutDir: true,
      target: 'chrome130',
      // A file turned into a data: address would need an exception in the content security policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      reportCompressedSize: true,
    },
  };
}
