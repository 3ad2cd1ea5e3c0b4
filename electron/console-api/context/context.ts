/** The context of every handler. */
import type { KeyObject } from 'node:crypto';
import type { Actor } from '../../../agent/ledger/audit/audit.ts';
import type { Ledger, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import type { Member } from '../../../agent/ledger/accounts/members.ts';
import type { SessionLimits } from '../../../agent/ledger/accounts/sessions.ts';
import type { Checkpoint } from '../../../shared/service/checkpoints/checkpoint.ts';
import type { CheckpointState } from '../../../shared/service/checkpoints/schedule.ts';
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import type { InspectionRunner } from './inspection-runner.ts';
import type { ChainCheck } from './chain-check.ts';
import type { WriteLockWatch } from '../../../agent/ledger/storage/write-lock.ts';
import type { EventHub } from './event-hub.ts';
import type { LoginLimit } from '../../../shared/service/accounts/login-limit.ts';
import type { RelayAccess } from './relay-client.ts';
import type { SetUp } from './set-up.ts';
import type { SingleSignOn } from './single-sign-on.ts';
import type { ReadQueue } from './fair-queue.ts';
import type { ActiveScreener } from './text-check.ts';

export interface ConsoleContext {
  /** For reading only: writes are queued. */
  ledger: Omit<Ledger, 'write' | 'tryWrite'>;
  /**
   * Runs `work` as one write, once it is the person's turn; see `writer.ts`. @throws LedgerLockedError, ApiError
   * COMMON429
   */
  write: <T>(work: (tx: LedgerTransaction) => T, person?: string) => Promise<T>;
  /** Null without a journal. */
  journal: Pick<DecisionJournal, 'failure' | 'waiting'> | null;
  /** The queue of readings. */
  readQueue: ReadQueue;
  /** Tokens of sessions whose last use is about to be written. */
  touching: Set<string>;
  events: EventHub;
  writeLock: Pick<WriteLockWatch, 'isHeld'>;
  chainCheck: ChainCheck;
  /** The state of the audit log's checkpoints; null where none are written. */
  checkpoints: { name: string; state(): CheckpointState } | null;
  /** Makes the files of inspectors' requests. */
  inspections: InspectionRunner;
  /** The key that signs dossiers, and the checkpoints that were written elsewhere. */
  signing: { key: KeyObject; checkpoints(): Promise<readonly Checkpoint[]> };
  screener: ActiveScreener;
  clock: Clock;
  ids: Ids;
  limits: SessionLimits;
  /** Access to the relay; null if not configured. */
  relay: RelayAccess | null;
  /** Null in a demo, where password attempts are unlimited. */
  loginLimit: LoginLimit | null;
  /** Refused writes by session token, with the end of their window. */
  refusals: Map<string, { count: number; until: number }>;
  /** A member's changes to their own views and name, with the end of their window. */
  ownChanges: Map<string, { count: number; until: number }>;
  /** Waits this many ms. */
  pause: (ms: number) => Promise<unknown>;
  setUp: SetUp;
  /** Null without a provider (D21). */
  sso: SingleSignOn | null;
  /** The firm's names, which no password may be. */
  firmNames: readonly string[];
  /** Whether the session cookie is for encrypted connections only. */
  secureCookie: boolean;
}

/** The caller: a member with a live session, as the ledger has them at this request. */
export interface Caller {
  member: Member;
  /** Source address of the request. */
  sourceAddress: string;
  /** The session's token, as the cookie carried it. Never logged. */
  token: string;
  expiresAt: string;
}

export function actorOf(caller: Caller): Extract<Actor, { kind: 'MEMBER' }> {
  const { id, displayName, role } = caller.member;
  return { kind: 'MEMBER', id, displayName, role, sourceAddress: caller.sourceAddress };
}
