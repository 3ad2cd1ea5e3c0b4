/** The Intake as a whole: opens the ledger, works until the caller stops it, closes everything. */
import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { garbageCollector } from '../garbage-collection.ts';
import { closeServers } from '../../shared/service/http/drain.ts';
import type { RunningMetrics } from '../metrics-server.ts';
import { tellReady } from '../../shared/service/ready.ts';
import type { Clock, Ids } from '../../shared/time/clock.ts';
import { seedDemo } from '../ledger/demo/seed.ts';
import { RecordKeyFile, recordKeyFile } from '../ledger/made/record-key.ts';
import {
  asLedgerError,
  LedgerLockedError,
  LedgerLogLeftError,
  LedgerUnreachableError,
} from '../ledger/storage/errors.ts';
import { MIGRATED, openLedger, type Ledger } from '../ledger/storage/ledger.ts';
import { readCursors } from '../ledger/inbox/raw-bundles.ts';
import { applyNext, isConsoleInUse, isBatchFull } from './apply/apply.ts';
import { BatchSize } from './apply/batch-size.ts';
import { createReloadingUpstream, followed } from './receive/identity.ts';
import { applyTelling, receiveTelling } from './ledger-faults.ts';
import { LiveMetrics } from './live-metrics.ts';
import { runLoop } from './loop.ts';
import { nextBy, pullOnce } from './receive/reception.ts';
import { provedBy } from './receive/proved.ts';
import { Telling } from './receive/telling.ts';
import { Waits } from './receive/waits.ts';
import { InHand, inHandFile } from './apply/in-hand.ts';
import { rejectionCode } from './apply/rejection-code.ts';
import { createEntryScreening } from './apply/screening.ts';
import { WaitingWithdrawals } from './apply/withdrawals.ts';
import { StartError, type Settings } from './settings.ts';

/**
 * How long a write waits for another process. Waiting delays everything else, stopping included, so it is short; a
 * failed write is tried again at the next poll.
 */
const BUSY_MS = 3_000;
/** Longer than the longest pause between two tries of a write of the console API (`Writer`). */
const LEAVE_MS = 16;

/** For an answer of the metrics that is under way at the stop. */
const METRICS_GRACE_MS = 1_000;

export interface IntakeParts {
  clock: Clock;
  ids: Ids;
  log: Logger;
  random(): number;
  /** Migrates an older ledger; true: a signal has stopped that. */
  isStopped(): Promise<boolean>;
}

/**
 * Runs until `signal` ends it.
 *
 * @throws LedgerError when the ledger cannot be opened, MetricsListenError
 */
export async function runIntake(settings: Settings, parts: IntakeParts, signal: AbortSignal): Promise<void> {
  const { clock, ids, log, random, isStopped } = parts;
  const wait: Wait = (ms, ending) => sleep(ms, undefined, { signal: ending }).catch(() => undefined);
  const ledger = await openWhenUsable(settings.ledger, { log, wait, isStopped }, signal);
  if (ledger === null) return;
  if (ledger.migrated !== null) log.info(ledger.migrated, MIGRATED);
  const keys = settings.verifyKey === null ? null : followed(settings.verifyKey, 'verification key', log);
  const hand = new InHand({ file: inHandFile(settings.ledger), ...readCursors(ledger), log });
  let numbers: RunningMetrics | null = null;
  const upstream = createReloadingUpstream(settings.upstream, settings.identity, log, ...(keys === null ? [] : [keys]));
  try {
    if (settings.demo) seed(() => seedDemo(ledger, clock, ids), settings.ledger);
    const { limit, pollMs: periodMs, waitSeconds } = settings;
    const verification = keys === null ? null : { keys: () => keys.current, toleranceMs: settings.statementMs };
    if (verification === null)
      log.warn('no verification key is configured: a relay could hide withdrawals; set CAUSEWAY_INTAKE_VERIFY_KEY');
    const { committed, applied, tenantId: bound } = readCursors(ledger);
    refuseOtherTenant(bound, settings);
    if (bound === null && settings.tenantId === null)
      log.warn(
        'no tenant is configured: the first bundle decides which tenant this ledger belongs to, and a relay could bring another tenant’s; set CAUSEWAY_INTAKE_TENANT',
      );
    const { tenantId } = settings;
    const waits = new Waits({
      seconds: waitSeconds,
      periodMs,
      elapsedMs: () => performance.now(),
      random,
      learned: (what) => tellOfWaits(log, what),
    });
    const telling = settings.tellApplied
      ? new Telling({ ledger, codeOf: rejectionCode, elapsedMs: () => performance.now(), wait })
      : undefined;
    const reception = {
      ...{ ledger, pull: upstream.pull, clock, log, limit, periodMs, verification, tenantId, waits },
      ...(telling === undefined ? {} : { telling }),
    };
    const live = settings.metricsListen === null ? null : new LiveMetrics(ledger, clock);
    if (live !== null && settings.metricsListen !== null) {
      const { startMetrics } = await import('../metrics-server.ts');
      numbers = await startMetrics('CAUSEWAY_INTAKE_METRICS_LISTEN', settings.metricsListen, {
        registry: live.registry,
        ids,
        status: 'receiving',
      });
      log.info({ name: 'metrics', url: numbers.url }, 'listening');
    }
    const batch = new BatchSize();
    const withdrawals = new WaitingWithdrawals();
    const application = {
      ledger,
      screenEntry: createEntryScreening(log, undefined, new RecordKeyFile(recordKeyFile(settings.ledger))),
      clock,
      log,
      batch,
      withdrawals,
      hand,
      isProved: provedBy(ledger, verification),
      ...(live === null ? {} : { lags: live.lags }),
      startsPolicies: true,
    };
    const collect = garbageCollector();
    log.info({ upstream: settings.upstream.origin, ledger: settings.ledger, committed, applied, limit }, 'ready');
    tellReady();
    await runLoop(
      {
        receive: (ending) =>
          receiveTelling(
            ledger,
            clock,
            () => nextBy(reception, 0),
            () => pullOnce(reception, ending),
          ),
        apply: () => {
          const isDone = applyTelling(ledger, clock, () => applyNext(application));
          telling?.risen();
          return isDone;
        },
        isApplied: () => {
          const cursors = readCursors(ledger);
          return telling === undefined || cursors.applied === cursors.committed;
        },
        isBatchFull: () => isBatchFull({ ledger, batch }),
        leaveMs: () => (isConsoleInUse(ledger, clock.now()) ? LEAVE_MS : 0),
        rest: () => {
          // A drain leaves more than a hundred MB behind, which the engine would keep until the next activity.
          ledger.shrink();
          collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
        },
        random,
        wait,
        file: settings.ledger,
        periodMs,
        log,
      },
      signal,
    );
  } finally {
    if (numbers !== null) await closeServers([numbers.server], METRICS_GRACE_MS);
    await upstream.close();
    hand.close();
    ledger.close();
  }
}

/** @throws StartError */
function refuseOtherTenant(bound: number | null, { ledger, tenantId }: Settings): void {
  if (bound === null || tenantId === null || bound === tenantId) return;
  throw new StartError(
    `The ledger ${ledger} belongs to tenant ${bound}, and CAUSEWAY_INTAKE_TENANT names tenant ${tenantId}: ` +
      'correct the setting, or begin with a new ledger.',
  );
}

function tellOfWaits(log: Logger, what: { waitSeconds: number; cutSeconds: number | null }): void {
  if (what.cutSeconds === null) log.info(what, 'pulls wait as configured again, to see whether they are still cut off');
  else
    log.warn(
      what,
      'something between here and the cloud cuts pulls that wait, so they wait for less: see the idle time of proxies and balancers',
    );
}

type Wait = (ms: number, ending: AbortSignal) => Promise<void>;

/** Memory that a batch of a backlog changes; given back when the Intake rests. */
const CACHE_MB = 64;
/** The wait before an unusable ledger is tried again. */
const USABLE_MS = 2_000;
/** `quick_check` reads the whole file, at some 400 MB a second; `intake verify` checks a larger one. */
const LARGEST_CHECKED = 2 * 1024 ** 3;

/**
 * Opens the ledger. Waits while an existing one is locked, read-only or on a full disk, because such causes pass;
 * returns null when `signal` ends the waiting, or `isStopped` says that the migration before it was stopped.
 *
 * @throws LedgerError for a lasting fault: damaged, too new, a path where no ledger can be made
 */
async function openWhenUsable(
  file: string,
  { log, wait, isStopped }: Pick<IntakeParts, 'log' | 'isStopped'> & { wait: Wait },
  signal: AbortSignal,
): Promise<Ledger | null> {
  while (!signal.aborted) {
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const check = bytes <= LARGEST_CHECKED;
    if (!check) log.warn({ bytes }, 'the ledger is too large to be checked at every start; run "verify" regularly');
    if (await isStopped()) return null;
    try {
      return openLedger(file, { check, writable: true, busyTimeoutMs: BUSY_MS, cacheMb: CACHE_MB });
    } catch (error) {
      const passes = error instanceof LedgerLockedError || error instanceof LedgerUnreachableError;
      if (!passes || error instanceof LedgerLogLeftError || !existsSync(file)) throw error;
      log.error({ err: error }, 'the ledger cannot be used now; it is tried again');
      await wait(USABLE_MS, signal);
    }
  }
  return null;
}

function seed(work: () => void, file: string): void {
  try {
    work();
  } catch (error) {
    throw asLedgerError(file, error);
  }
}
