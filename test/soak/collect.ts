/**
 * Loaded into each part of a soak: collects its garbage once a minute. The engine leaves garbage for many minutes, up to
 * a multiple of what is in use, and where that stands in a quarter of an hour says nothing about growth.
 */
import v8 from 'node:v8';
import vm from 'node:vm';

const COLLECT_MS = 60_000;

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;
setInterval(collect, COLLECT_MS).unref();
