/** All benchmarks, in the order in which they run. */
import { relayMemory } from './agent/relay.ts';
import type { Bench } from './bench.ts';
import { fanOut } from './cloud/fan-out.ts';
import { growth } from './cloud/growth.ts';
import { bundle, poll } from './cloud/pull.ts';

export const BENCHES: readonly Bench[] = [fanOut, bundle, poll, growth, relayMemory];
