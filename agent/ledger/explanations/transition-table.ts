/** The table of moves, with their start and target states (D12). */
import type { ExplanationStatus, Move } from '../../../shared/wire/console/console.ts';

/** The target of a move: a fixed state, the outcome of the screening, or the present state. */
type Target = { to: ExplanationStatus } | { to: 'SCREENED' } | { to: 'SAME' };

interface MoveRule {
  from: readonly ExplanationStatus[];
  target: Target;
  /** Whether a person makes it. After such a move the vendor's later changes go to a person again (D37). */
  human: boolean;
  /** Only what the screening blocked, with its received entry; a person's block is final (D209). */
  only?: 'BLOCKED_BY_SCREENING';
}

const ANY_BUT_WITHDRAWN = ['AUTO_PUBLISHED', 'PENDING_REVIEW', 'PUBLISHED', 'REJECTED', 'BLOCKED', 'STOPPED'] as const;
/** The states that a screening may end in. */
export type ScreenedOutcome = 'AUTO_PUBLISHED' | 'PENDING_REVIEW' | 'BLOCKED';

const EXPOSABLE = ['AUTO_PUBLISHED', 'PUBLISHED'] as const;

/** Every move that exists. `receive` begins from nothing and is made by `recordReceived`. */
export const MOVE_TABLE: Readonly<Record<Exclude<Move, 'receive'>, MoveRule>> = {
  approve: { from: ['PENDING_REVIEW'], target: { to: 'PUBLISHED' }, human: true },
  'approve-edited': { from: ['PENDING_REVIEW'], target: { to: 'PUBLISHED' }, human: true },
  reject: { from: ['PENDING_REVIEW'], target: { to: 'REJECTED' }, human: true },
  block: { from: ['PENDING_REVIEW'], target: { to: 'BLOCKED' }, human: true },
  'move-to-review': { from: ['AUTO_PUBLISHED', 'PUBLISHED', 'STOPPED'], target: { to: 'PENDING_REVIEW' }, human: true },
  unblock: { from: ['BLOCKED'], target: { to: 'PENDING_REVIEW' }, human: true, only: 'BLOCKED_BY_SCREENING' },
  stop: { from: EXPOSABLE, target: { to: 'STOPPED' }, human: true },
  correct: { from: EXPOSABLE, target: { to: 'SAME' }, human: true },
  'text-changed': { from: ANY_BUT_WITHDRAWN, target: { to: 'SCREENED' }, human: false },
  invalidate: { from: ANY_BUT_WITHDRAWN, target: { to: 'INVALIDATED' }, human: false },
};

/** Whether this state lets an explanation be exposed (D12). */
export function isExposable(status: ExplanationStatus): boolean {
  return EXPOSABLE.some((exposable) => exposable === status);
}

/** Whether a person makes this move; a word that is no move is found by `verify` (D199). */
export function isHuman(move: Move): boolean {
  return move !== 'receive' && Object.hasOwn(MOVE_TABLE, move) && MOVE_TABLE[move].human;
}

const SCREENED: readonly string[] = ['AUTO_PUBLISHED', 'PENDING_REVIEW', 'BLOCKED'] satisfies ScreenedOutcome[];

/** Whether the table has this move between these states. */
export function isOfTable(move: string, from: string | null, to: string): boolean {
  if (move === 'receive') return from === null && SCREENED.includes(to);
  if (!Object.hasOwn(MOVE_TABLE, move)) return false;
  const rule: MoveRule = MOVE_TABLE[move as keyof typeof MOVE_TABLE];
  if (!rule.from.some((state) => state === from)) return false;
  const { to: target } = rule.target;
  return target === 'SCREENED' ? SCREENED.includes(to) : to === (target === 'SAME' ? from : target);
}

/** @throws TypeError for a move that needs a screening and has none */
export function targetOf(
  rule: MoveRule,
  from: ExplanationStatus,
  request: { move: Move; screened?: { outcome: ScreenedOutcome } },
): ExplanationStatus {
  switch (rule.target.to) {
    case 'SAME':
      return from;
    case 'SCREENED':
      if (request.screened === undefined) throw new TypeError(`${request.move} needs the outcome of a screening`);
      return request.screened.outcome;
    default:
      return rule.target.to;
  }
}
