/**
 * Loaded first into `npm start` and all that it starts: a part of which the run has a bundle starts from that, like one
 * that a test starts by itself (`entryOf`). The supervisor and the demo's driver run from their sources.
 */
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PROJECT = new URL('../../', import.meta.url).href;
/** As `BUNDLES` of `process.ts`, which is too much to load into each part. */
const folder = process.env['CAUSEWAY_TEST_BUNDLES'];

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    if (folder === undefined || !resolved.url.startsWith(PROJECT) || !resolved.url.endsWith('/main.ts'))
      return resolved;
    const bundle = new URL(
      resolved.url.slice(PROJECT.length).replace(/\.ts$/, '.js'),
      `${pathToFileURL(folder).href}/`,
    );
    return existsSync(fileURLToPath(bundle)) ? { url: bundle.href, format: 'module', shortCircuit: true } : resolved;
  },
});
