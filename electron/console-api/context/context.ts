/** The context of every handler. */
import type { Actor } from '../../../agent/ledger/audit/audit.ts';
import type { Ledger, LedgerTransaction } from '../../../agent/ledger/storage/ledger.ts';
import type { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import type { Member } from '../../../agent/ledger/accounts/members.ts';
import type { SessionLimits } from '../../../agent/ledger/accounts/sessions.ts';
import type { CheckpointState } from '../../../shared/service/checkpoints/schedule.ts';
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import type { ChainCheck } from './chain-check.ts';
import type { EventHub } from './event-hub.ts';
import type { LoginLimit } from '../../../shared/service/accounts/login-limit.ts';
import type { RelayAccess } from './relay-client.ts';
import type { SetUp } from './set-up.ts';
import type { SingleSignOn } from './single-sign-on.ts';
import type { ReadQueue } from './fair-queue.ts';
import type { ActiveScreener } from './text-check.ts';

export interface ConsoleContext {
  /** For reading alone: what is written waits its turn. */
  ledger: Omit<Ledger, 'write' | 'tryWrite'>;
  /** Runs `work` as one write, once its person's turn has come; see `writer.ts`. @throws LedgerLockedError, ApiError COMMON429 */
  write: <T>(work: (tx: LedgerTransaction) => T, person?: string) => Promise<T>;
  /** Null where none is kept. */
  journal: Pick<DecisionJournal, 'failure' | 'waiting'> | null;
  /** Whose reading is next. */
  readQueue: ReadQueue;
  /** Tokens of sessions whose last use is about to be written. */
  touching: Set<string>;
  events: EventHub;
  chainCheck: ChainCheck;
  /** How the checkpoints of the audit log go; null where none are written. */
  checkpoints: { name: string; state(): CheckpointState } | null;
  screener: ActiveScreener;
  clock: Clock;
  ids: Ids;
  limits: SessionLimits;
  /** The way to the relay; null where none was given. */
  relay: RelayAccess | null;
  /** Null in a demo, where passwords may be tried without end. */
  loginLimit: LoginLimit | null;
  /** Refused writes by session token, until when they count. */
  refusals: Map<string, { count: number; until: number }>;
  /** Changes of their own views and name by member, until when they count. */
  ownChanges: Map<string, { count: number; until: number }>;
  /** Waits so many ms. */
  pause: (ms: number) => Promise<unknown>;
  setUp: SetUp;
  /** Null where no provider was given (D21). */
  sso: SingleSignOn | null;
  /** The firm's names: none of them is a password. */
  firmNames: readonly string[];
  /** Whether the session cookie is for encrypted connections only. */
  secureCookie: boolean;
}

/** The caller: a member with a live session, as the ledger has them at this request. */
export interface Caller {
  member: Member;
  /** From where the request came. */
  sourceAddress: string;
  /** The session's token, as the cookie carried it. Never logged. */
  token: string;
  expiresAt: string;
}

export function actorOf(caller: Caller): Extract<Actor, { kind: 'MEMBER' }> {
  const { id, displayName, role } = caller.member;
  return { kind: 'MEMBER', id, displayName, role, sourceAddress: caller.sourceAddress };
}
