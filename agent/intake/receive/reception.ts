/**
 * Step 1 of the Intake (D36): pulls once and records the result in the ledger. One transaction commits the raw
 * body together with the cursor; `after` is always the committed cursor, read again before each pull.
 *
 * Before it: `agent/relay/forward.ts`. After it: `agent/intake/apply/apply.ts`.
 */
import type { Logger } from 'pino';
import type { Clock } from '../../../shared/time/clock.ts';
import { FULL_BUNDLE_BYTES } from '../../../shared/wire/bundle-endpoint.ts';
import type { Ledger } from '../../ledger/storage/ledger.ts';
import { quarantine } from '../../ledger/inbox/quarantine.ts';
import { commitBundle, CursorGapError, readCursors } from '../../ledger/inbox/raw-bundles.ts';
import { readHead, recordPull, recordPullFailure } from '../../ledger/inbox/sync-state.ts';
import { checkEnvelope } from './envelope.ts';
import { classifyResponse, type Failed, type Classification, type Position } from './classify-response.ts';
import { NoAnswerError, OversizedAnswerError, type Answer, type Pull } from './pull.ts';
import { tenantNamedIn, type Verification } from './statement.ts';
import type { Telling } from './telling.ts';
import { waitMs, type Next, type Waits } from './waits.ts';

/** The Intake's view of a ledger; tests put faults in between. */
export type Store = Pick<Ledger, 'all' | 'first' | 'write'>;

export interface ReceptionParts {
  ledger: Store;
  pull: Pull;
  clock: Clock;
  log: Logger;
  /** Entries per pull; null: chosen by the waiting backlog (D142). */
  limit: number | null;
  /** The polling period; the sync status names the latest time of the next pull. */
  periodMs: number;
  verification: Verification | null;
  /** The tenant that bundles must belong to; absent or null: the ledger takes the tenant of the first bundle. */
  tenantId?: number | null;
  /** Waits at the cloud for news (D223); absent: polls by the period alone. */
  waits?: Waits;
  /** Tells the vendor how far has been applied (D230); absent: does not. */
  telling?: Telling;
}

/** Pulls once. Rejects when the ledger cannot be written, or when `signal` ends it. */
export async function pullOnce(parts: ReceptionParts, signal: AbortSignal): Promise<Next> {
  const { committed: after, tenantId } = readCursors(parts.ledger);
  const lastHead = readHead(parts.ledger);
  const limit = parts.limit ?? suitedLimit(after, lastHead);
  const wait = askedWait(parts);
  const told = parts.telling?.begin(wait.waitSeconds !== undefined && (lastHead ?? after) <= after);
  let answer: Answer;
  try {
    answer = await (told === undefined
      ? parts.pull({ after, limit, ...wait }, signal)
      : parts.pull(
          { after, limit, ...wait, applied: told.applied, answered: told.answered },
          AbortSignal.any([signal, told.replaced]),
        ));
  } catch (error) {
    if (told?.replaced.aborted === true && !signal.aborted) return { when: 'WAITING' };
    return recordFailed(parts, after, withoutAnswer(error), null);
  } finally {
    told?.answered();
  }
  const position = {
    after,
    tenantId: tenantId ?? parts.tenantId ?? null,
    lastHead,
    verification: parts.verification,
    now: parts.clock.now(),
  };
  const classified = classifyResponse(answer, position);
  switch (classified.kind) {
    case 'BUNDLE':
      return recordBundle(parts, limit, position, classified, answer);
    case 'NOTHING_NEW':
      parts.log.debug({ after, head: classified.head }, 'nothing new');
      return recordNothingNew(parts, position, classified, answer);
    case 'FAILED':
      return recordFailed(
        parts,
        after,
        await namedOther(parts, position, { failed: classified, answer }, signal),
        answer,
      );
  }
}

/**
 * A head below the cursor also results from another tenant's certificate. The cloud's statement names its tenant, or
 * else its first record does; truncating this ledger would destroy it in that case.
 */
async function namedOther(
  { pull }: ReceptionParts,
  { tenantId }: Position,
  { failed, answer }: { failed: Failed; answer: Answer },
  signal: AbortSignal,
): Promise<Failed> {
  if (failed.state !== 'REGRESSED' || tenantId === null) return failed;
  const told = tenantNamedIn(answer.statement) ?? (await tenantOfFirst(pull, signal));
  if (told === null || told === tenantId) return failed;
  const message =
    `The client certificate is the one of tenant ${told}, and this ledger belongs to tenant ${tenantId}. ` +
    'Nothing was taken. Put the certificate of this tenant in place.';
  return { kind: 'FAILED', state: 'FORBIDDEN', code: 'OTHER_TENANT', message, retryAfterMs: 0, quarantine: false };
}

/** The tenant that the cloud's first record names; null: it gives none. */
async function tenantOfFirst(pull: ReceptionParts['pull'], signal: AbortSignal): Promise<number | null> {
  const first = await pull({ after: 0, limit: 1 }, signal).catch(() => null);
  if (first?.status !== 200) return null;
  const checked = checkEnvelope(first.body, { after: 0, tenantId: null });
  return checked.kind === 'BUNDLE' ? checked.bundle.tenant_id : null;
}

function recordNothingNew(
  parts: ReceptionParts,
  { after, now }: Position,
  { head, statedAt }: Extract<Classification, { kind: 'NOTHING_NEW' }>,
  answer: Answer,
): Next {
  const at = now.toISOString();
  const next = afterGood(parts, answer, false);
  // A single such answer is normal; a series means that the cloud or a relay withholds records.
  const withheld = head !== null && head > after;
  const wait = waitOf(parts, next);
  parts.ledger.write((tx) => recordPull(tx, { at, nextBy: nextBy(parts, 0), head, statedAt, withheld, ...wait }));
  return next;
}

function askedWait({ waits }: ReceptionParts): { waitSeconds?: number } {
  const waitSeconds = waits?.begin() ?? null;
  return waitSeconds === null ? {} : { waitSeconds };
}

/** After a good answer that leaves no record behind. */
function afterGood({ waits }: ReceptionParts, { isWaitApplied = false }: Answer, hasEntries: boolean): Next {
  return waits?.answered({ hasEntries, isApplied: isWaitApplied }) ?? { when: 'PERIOD', notBeforeMs: 0 };
}

/** The state of waiting, for the sync status. */
function waitOf({ waits }: ReceptionParts, next: Next): { waitSeconds: number | null; cutSeconds: number | null } {
  return {
    waitSeconds: next.when === 'WAITING' ? (waits?.seconds ?? null) : null,
    cutSeconds: waits?.cutSeconds ?? null,
  };
}

/** The latest time at which the next pull begins. */
export function nextBy({ clock, periodMs }: Pick<ReceptionParts, 'clock' | 'periodMs'>, notBeforeMs: number): string {
  return new Date(clock.now().getTime() + waitMs(periodMs, notBeforeMs, 1)).toISOString();
}

/** Entries of a pull without a configured limit. */
const USUAL_LIMIT = 100;
const BACKLOG_LIMIT = 500;

/** A backlog is requested in large pulls, in which each entry costs less on the whole way. */
function suitedLimit(after: number, lastHead: number | null): number {
  return lastHead !== null && lastHead - after > USUAL_LIMIT ? BACKLOG_LIMIT : USUAL_LIMIT;
}

function recordBundle(
  parts: ReceptionParts,
  limit: number,
  { after, now }: Position,
  { bundle, head, signature, statement, statedAt }: Extract<Classification, { kind: 'BUNDLE' }>,
  answer: Answer,
): Next {
  const at = now.toISOString();
  const { body } = answer;
  const entries = bundle.entries.length;
  const bytes = body.length;
  // A bundle may be full by its bytes before it has `limit` entries. The head shows whether more records wait; without
  // a head the size of the bundle does.
  const isBelowHead = head !== null && head > bundle.cursor_to;
  const isFull = entries >= limit || bytes >= FULL_BUNDLE_BYTES;
  const good = afterGood(parts, answer, true);
  const next: Next = isBelowHead || isFull ? { when: 'AT_ONCE' } : good;
  try {
    parts.ledger.write((tx) => {
      commitBundle(tx, {
        cursorFrom: bundle.cursor_from,
        cursorTo: bundle.cursor_to,
        bundleId: bundle.bundle_id,
        entryCount: bundle.entries.length,
        tenantId: bundle.tenant_id,
        body,
        signature,
        statement,
        receivedAt: at,
      });
      recordPull(tx, { at, nextBy: nextBy(parts, 0), head, statedAt, ...waitOf(parts, next) });
    });
  } catch (error) {
    // The envelope fitted the requested cursor, so another process has moved the cursor since.
    if (!(error instanceof CursorGapError)) throw error;
    parts.log.warn({ after }, 'another Intake has committed to this ledger at the same time: run only one');
    return { when: 'PERIOD', notBeforeMs: 0 };
  }
  parts.log.info({ cursorFrom: after, cursorTo: bundle.cursor_to, entries, bytes, head }, 'bundle committed');
  return next;
}

function recordFailed(parts: ReceptionParts, after: number, failed: Failed, answer: Answer | null): Next {
  const at = parts.clock.now().toISOString();
  const { state, code, message, retryAfterMs } = failed;
  const passes = state === 'RETRYING' ? parts.waits : undefined;
  const next: Next = passes?.broke(retryAfterMs) ?? { when: 'PERIOD', notBeforeMs: retryAfterMs };
  const fields = { after, state, code };
  if (state === 'RETRYING') parts.log.warn(fields, message);
  else parts.log.error(fields, message);
  parts.ledger.write((tx) => {
    if (failed.quarantine && answer !== null) {
      const { body, statement } = answer;
      quarantine(tx, { after, reason: message, body, statement, receivedAt: at });
    }
    recordPullFailure(tx, {
      at,
      nextBy: nextBy(parts, retryAfterMs),
      cutSeconds: parts.waits?.cutSeconds ?? null,
      state,
      code,
      message,
      ...(failed.head === undefined ? {} : { head: failed.head }),
    });
  });
  return next;
}

function withoutAnswer(error: unknown): Failed {
  const failed = { kind: 'FAILED', retryAfterMs: 0, quarantine: false } as const;
  if (error instanceof NoAnswerError) {
    return {
      ...failed,
      state: 'RETRYING',
      code: error.code,
      message: `No answer from ${error.message}. The next poll asks again.`,
    };
  }
  if (error instanceof OversizedAnswerError) {
    return {
      ...failed,
      state: 'VIOLATION',
      code: 'TOO_LARGE',
      message: `${error.message} It was not read further and nothing of it is kept; tell the vendor.`,
    };
  }
  throw error;
}
