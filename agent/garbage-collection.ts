/**
 * Collecting garbage when the program knows better than the engine: it collects by how much is allocated, not by
 * whether anybody waits, and gives little back to the system.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function garbageCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction;
}
