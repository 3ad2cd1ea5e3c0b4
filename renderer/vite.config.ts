import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compiledMessages } from '../shared/ui/i18n/compiled-messages.ts';
import { catalogues } from './i18n/catalogues.ts';

const folder = import.meta.dirname;

/** The tenant console as static files for the console API to serve: no inline script, no inline style sheet. */
export default defineConfig({
  root: folder,
  base: '/',
  publicDir: `${folder}/../shared/ui/public`,
  plugins: [react(), compiledMessages(catalogues)],
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
});
