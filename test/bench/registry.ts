/** All benchmarks, in the order in which they run. */
import type { Bench } from './bench.ts';
import { fanOut } from './cloud/fan-out.ts';

export const BENCHES: readonly Bench[] = [fanOut];
