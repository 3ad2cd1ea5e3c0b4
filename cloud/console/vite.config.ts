import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';
import { pagesConfig } from '../../shared/ui/app/pages.config.ts';
import { catalogues } from './i18n/catalogues.ts';

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

export default pagesConfig(import.meta.dirname, catalogues, [compressed]);
