import type { Migration } from './migrate.ts';
import { eventStore } from './0001-event-store.ts';
import { cursorsAndRetention } from './0002-cursors-and-retention.ts';
import { pipelineLedger } from './0003-pipeline-ledger.ts';
import { counterFactors } from './0004-counter-factors.ts';
import { analysisList } from './0005-analysis-list.ts';
import { unrecalled } from './0006-unrecalled.ts';
import { recallBySubject } from './0007-recall-by-subject.ts';
import { runInstrument } from './0008-run-instrument.ts';
import { activityChain } from './0009-activity-chain.ts';
import { ownPassword } from './0010-own-password.ts';
import { finiteTimes } from './0011-finite-times.ts';

/** All migrations in their order. A released one is never edited: a change comes as a new file. */
export const MIGRATIONS: readonly Migration[] = [
  eventStore,
  cursorsAndRetention,
  pipelineLedger,
  counterFactors,
  analysisList,
  unrecalled,
  recallBySubject,
  runInstrument,
  activityChain,
  ownPassword,
  finiteTimes,
];
