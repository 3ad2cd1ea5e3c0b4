/** The Intake as a whole: opens the ledger, works until it is told to stop, closes everything. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import { seedDemo } from '../ledger/demo-seed.ts';
import { asLedgerError } from '../ledger/errors.ts';
import { openLedger } from '../ledger/ledger.ts';
import { readCursors } from '../ledger/raw-bundles.ts';
import { applyNext } from './apply.ts';
import { runLoop } from './loop.ts';
import { createUpstream } from './pull.ts';
import { pullOnce } from './reception.ts';
import { createEntryScreening } from './screening.ts';
import type { Settings } from './settings.ts';

/**
 * How long a write waits for another process. Waiting stands in the way of everything else, stopping
 * included, so it is short; what could not be written is tried again at the next poll.
 */
const BUSY_MS = 3_000;

/**
 * Runs until `signal` ends it.
 *
 * @throws LedgerError when the ledger cannot be opened
 */
export async function runIntake(
  settings: Settings,
  parts: { clock: Clock; ids: Ids; log: Logger; random(): number },
  signal: AbortSignal,
): Promise<void> {
  const { clock, ids, log, random } = parts;
  const ledger = openLedger(settings.ledger, { check: true, busyTimeoutMs: BUSY_MS });
  const upstream = createUpstream(settings.upstream, settings.identity);
  try {
    if (settings.demo) seed(() => seedDemo(ledger, clock, ids), settings.ledger);
    const reception = { ledger, pull: upstream.pull, clock, log, limit: settings.limit, verifyKey: settings.verifyKey };
    const application = { ledger, screenEntry: createEntryScreening(log), clock, log };
    const { committed, applied } = readCursors(ledger);
    log.info(
      { upstream: settings.upstream.origin, ledger: settings.ledger, committed, applied, limit: settings.limit },
      'ready',
    );
    await runLoop(
      {
        receive: (ending) => pullOnce(reception, ending),
        apply: () => applyNext(application),
        random,
        wait: (ms, ending) => sleep(ms, undefined, { signal: ending }).catch(() => undefined),
        file: settings.ledger,
        periodMs: settings.pollMs,
        log,
      },
      signal,
    );
  } finally {
    await upstream.close();
    ledger.close();
  }
}

function seed(work: () => void, file: string): void {
  try {
    work();
  } catch (error) {
    throw asLedgerError(file, error);
  }
}
