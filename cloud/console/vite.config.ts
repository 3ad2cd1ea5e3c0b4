import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compiledMessages } from '../../shared/ui/i18n/compiled-messages.ts';
import { catalogues } from './i18n/catalogues.ts';

const folder = import.meta.dirname;

/**
 * Lays each text of the build down compressed as well, for the server to send as it is. Without TLS browsers take gzip
 * alone.
 */
const compressed: Plugin = {
  name: 'compressed',
  writeBundle: ({ dir = '' }) => {
    for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:js|css|html|svg)$/.test(file)) continue;
      writeFileSync(join(dir, `${file}.gz`), gzipSync(readFileSync(join(dir, file)), { level: 9 }));
    }
  },
};

/** The operator console as static files for the operator API to serve: no inline script, no inline style sheet. */
export default defineConfig({
  root: folder,
  base: '/',
  publicDir: `${folder}/../../shared/ui/public`,
  plugins: [react(), compiledMessages(catalogues), compressed],
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
