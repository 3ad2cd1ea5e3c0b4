/** The demo's course: first the past days, then one firing after another at a human pace. */
import type { LineAnswer, Load } from '../publication/load.ts';
import { UnreachableError, type EngineDoor, type OperatorClient } from './clients.ts';
import { isOfOpening, liveLoad, type GenerateParts } from './generation/generate.ts';
import { moveId, loadedDays, type LoadedDay } from './redate.ts';
import { REASONS, WITHDRAWALS } from './withdrawals.ts';

export interface DriverLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

export interface DriverParts extends GenerateParts {
  door: Pick<EngineDoor, 'post'>;
  operator: Pick<OperatorClient, 'withdraw'>;
  log: DriverLog;
  /** The shipped week. */
  reference: readonly Load[];
  paceMs: number;
  /** Waits, and ends early when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;
/** The probability of a withdrawal of an earlier firing after each firing. */
const WITHDRAWAL_CHANCE = 0.08;
/** For so long the queue that the demo opened with is not superseded under its visitor's hands. */
const OPENING_MS = 30 * 60_000;
/** The number of latest live results from which a withdrawal picks. */
const REMEMBERED = 30;
/** The engine's door's code for a backfill that failed in the engine, as the demo intends. */
const MEANT_TO_FAIL = 'BACKFILL_FAILED';

/**
 * Runs until the signal is aborted. Waits while the cloud is unreachable. @throws RefusedError when the cloud refuses
 * for good
 */
export async function drive(parts: DriverParts, signal: AbortSignal): Promise<void> {
  const published: string[] = [];
  let toldUpTo: string | null = null;
  const openUntil = parts.clock.now().getTime() + OPENING_MS;
  while (!signal.aborted) {
    const days = loadedDays(parts.reference, parts.clock.now());
    const newest = days.at(-1)?.date ?? null;
    if (newest !== toldUpTo) {
      for (const day of days) await sendDay(parts, day, signal);
      toldUpTo = newest;
    }
    await parts.sleep(parts.paceMs * (0.5 + parts.random.next()), signal);
    const isOpening = parts.clock.now().getTime() < openUntil;
    if (!signal.aborted) await sendOne(parts, { published, isOpening }, signal);
  }
}

/** Loads one finished day and lets the operator withdraw the planned explanations. A repetition changes nothing. */
async function sendDay(parts: DriverParts, day: LoadedDay, signal: AbortSignal): Promise<void> {
  const answers = await untilReached(parts, signal, () => parts.door.post(day.loads, signal));
  if (answers === null) return;
  const repeated = answers.filter((answer) => answer.repeated).length;
  parts.log.info({ date: day.date, lines: answers.length, ...countOutcomes(answers), repeated }, 'day loaded');
  warnOfFailures(parts, answers);
  for (const { id, reason } of WITHDRAWALS) {
    const moved = moveId(id, day.weeks);
    if (answers.some((answer) => answer.id === moved)) await withdraw(parts, moved, reason, signal);
  }
}

/** One further firing, and now and then a withdrawal. */
async function sendOne(
  parts: DriverParts,
  { published, isOpening }: { published: string[]; isOpening: boolean },
  signal: AbortSignal,
): Promise<void> {
  const load = liveLoad(parts, { fits: ({ instrument }) => !isOpening || !isOfOpening(instrument.ticker) });
  if (load === null) return;
  const answers = await untilReached(parts, signal, () => parts.door.post([load], signal));
  const answer = answers?.[0];
  if (answers === null || answer === undefined) return;
  const { ticker, name } = load.instrument;
  parts.log.info(
    { ticker, name, mode: load.mode, outcome: answer.outcome, id: answer.id, deliveries: answer.deliveries },
    'firing loaded',
  );
  warnOfFailures(parts, answers);
  if (answer.outcome === 'PUBLISHED' && answer.id !== null) published.push(answer.id);
  if (published.length > REMEMBERED) published.shift();
  if (parts.random.next() >= WITHDRAWAL_CHANCE) return;
  const [id] = published.splice(Math.floor(parts.random.next() * published.length), 1);
  const reason = REASONS[Math.floor(parts.random.next() * REASONS.length)];
  if (id !== undefined && reason !== undefined) await withdraw(parts, id, reason, signal);
}

async function withdraw(parts: DriverParts, id: string, reason: string, signal: AbortSignal): Promise<void> {
  const outcome = await untilReached(parts, signal, () => parts.operator.withdraw(id, reason, signal));
  if (outcome !== null) parts.log.info({ id, outcome, reason }, 'withdrawal asked for');
}

/**
 * Tries again, at growing intervals, while the cloud is unreachable. @returns null when the signal was aborted
 * meanwhile
 */
async function untilReached<T>(parts: DriverParts, signal: AbortSignal, action: () => Promise<T>): Promise<T | null> {
  for (let waitMs = FIRST_RETRY_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS)) {
    try {
      return await action();
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof UnreachableError)) throw error;
      parts.log.warn(
        { reason: error.message, retryInSeconds: waitMs / 1000 },
        'the cloud cannot be reached, trying again',
      );
      await parts.sleep(waitMs, signal);
    }
  }
  return null;
}

function countOutcomes(answers: readonly LineAnswer[]): Record<string, number> {
  const counts: Record<LineAnswer['outcome'], number> = { PUBLISHED: 0, DRAFT: 0, WITHDRAWN: 0, SKIPPED: 0, FAILED: 0 };
  for (const { outcome } of answers) counts[outcome] += 1;
  return Object.fromEntries(Object.entries(counts).map(([outcome, count]) => [outcome.toLowerCase(), count]));
}

function warnOfFailures(parts: DriverParts, answers: readonly LineAnswer[]): void {
  for (const { line, id, outcome, reason, message } of answers) {
    if (outcome === 'FAILED' && reason !== MEANT_TO_FAIL)
      parts.log.warn({ line, id, reason, message }, 'a load was not taken');
  }
}
