/** All benchmarks, in the order in which they run. */
import { changes } from './agent/changes.ts';
import { drain } from './agent/drain.ts';
import { fiveYears } from './agent/five-years.ts';
import { inspection } from './agent/inspection.ts';
import { peers } from './agent/peers.ts';
import { relayMemory } from './agent/relay.ts';
import { rest } from './agent/idle.ts';
import { screening } from './agent/screening.ts';
import { seconds } from './agent/seconds.ts';
import { shown } from './agent/shown.ts';
import { years } from './agent/ledger-growth.ts';
import type { Bench } from './bench.ts';
import { facts } from './cloud/facts.ts';
import { fanOut } from './cloud/fan-out.ts';
import { growth } from './cloud/growth.ts';
import { pipeline } from './cloud/pipeline.ts';
import { bundle, poll } from './cloud/pull.ts';
import { replica } from './cloud/replica.ts';
import { storm } from './cloud/storm.ts';
import { tenants } from './cloud/tenants/tenants.ts';
import { waiting } from './cloud/waiting.ts';
import { consoleApi } from './console/console.ts';
import { firstLoad } from './console/first-load.ts';
import { hand } from './console/hand.ts';
import { decisionJournal } from './console/journal.ts';
import { desktop } from './desktop/desktop.ts';
import { desktopMemory } from './desktop/memory.ts';

export const BENCHES: readonly Bench[] = [
  fanOut,
  bundle,
  poll,
  replica,
  growth,
  storm,
  waiting,
  tenants,
  pipeline,
  facts,
  drain,
  peers,
  seconds,
  screening,
  rest,
  years,
  fiveYears,
  shown,
  inspection,
  relayMemory,
  changes,
  consoleApi,
  firstLoad,
  hand,
  decisionJournal,
  desktop,
  desktopMemory,
];
