/**
 * Loaded into each part of a soak: collects its garbage twice a minute, and tells in a file what is in use then. Between
 * two collections of its own the engine lets garbage lie, many minutes and up to a multiple of what is in use, and how
 * much that is in a quarter of the run says nothing about growth.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import v8 from 'node:v8';
import vm from 'node:vm';

const COLLECT_MS = 30_000;
/** The engine gives pages back beside its work. */
const RETURNED_MS = 2_000;

const file = process.env['SOAK_IN_USE'];
v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as (how: object) => void;
setInterval(() => {
  // Any other collection keeps the pages that it has emptied, for the next objects.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setTimeout(() => {
    if (file !== undefined)
      writeFileSync(file, /^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '');
  }, RETURNED_MS).unref();
}, COLLECT_MS).unref();
