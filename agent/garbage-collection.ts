/**
 * Forces a garbage collection at moments that the program knows to be quiet. V8 collects by the amount allocated,
 * regardless of waiting requests, and returns little memory to the system.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function garbageCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction;
}
