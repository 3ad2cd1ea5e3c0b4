/**
 * A person's actions on an explanation, with the permission that each needs and the status that it starts from (D12).
 */
import type { FunctionId } from '../../../shared/policy/matrix.ts';
import type { Tone } from '../../../shared/ui/parts/badge.tsx';
import type { GlyphName } from '../../../shared/ui/parts/glyphs.tsx';
import type { ExplanationStatus, Obstacle, ReviewDetail, ReasonCode } from '../../../shared/wire/console/console.ts';
import { missingOfReason, writeReason } from '../domain/reasons.ts';
import type { Consent, ConsoleApi, Target } from '../../api/client.ts';

export const DECISIONS = ['approve', 'approve-edited', 'reject', 'block'] as const;
export const OPERATIONS = ['correct', 'stop', 'move-to-review', 'unblock'] as const;
/** `approve` approves the received text, `approve-carried` the edit that the item carries. */
export type Action = (typeof DECISIONS)[number] | 'approve-carried' | (typeof OPERATIONS)[number];

interface ActionRule {
  permission: FunctionId;
  from: readonly ExplanationStatus[];
  /** The fields of its form beside the confirmation. */
  asks: 'comment' | 'text' | 'reason' | 'optional-reason' | 'written-reason';
  tone: Tone;
  glyph: GlyphName;
  /** Whether it takes a text off or refuses it for good, and so is confirmed in red. */
  isDestructive?: true;
}

const WAITING = ['PENDING_REVIEW'] as const;

export const ACTION_RULES: Readonly<Record<Action, ActionRule>> = {
  approve: { permission: 'review.decide', from: WAITING, asks: 'comment', tone: 'good', glyph: 'approved' },
  'approve-carried': { permission: 'review.decide', from: WAITING, asks: 'comment', tone: 'good', glyph: 'approved' },
  'approve-edited': { permission: 'review.decide', from: WAITING, asks: 'text', tone: 'good', glyph: 'approved' },
  reject: {
    permission: 'review.decide',
    from: WAITING,
    asks: 'reason',
    tone: 'neutral',
    glyph: 'refused',
    isDestructive: true,
  },
  block: {
    permission: 'review.decide',
    from: WAITING,
    asks: 'reason',
    tone: 'bad',
    glyph: 'blocked',
    isDestructive: true,
  },
  correct: {
    permission: 'explanations.correct',
    from: ['AUTO_PUBLISHED', 'PUBLISHED'],
    asks: 'text',
    tone: 'good',
    glyph: 'approved',
  },
  stop: {
    permission: 'explanations.stop',
    from: ['AUTO_PUBLISHED', 'PUBLISHED'],
    asks: 'reason',
    tone: 'stop',
    glyph: 'stopped',
    isDestructive: true,
  },
  'move-to-review': {
    permission: 'explanations.move-to-review',
    from: ['AUTO_PUBLISHED', 'PUBLISHED', 'STOPPED'],
    asks: 'optional-reason',
    tone: 'wait',
    glyph: 'waiting',
  },
  unblock: {
    permission: 'explanations.unblock',
    from: ['BLOCKED'],
    asks: 'written-reason',
    tone: 'wait',
    glyph: 'waiting',
  },
};

export type DraftProblem = 'reason.code' | 'reason.text' | 'note' | 'text.blank' | 'text.same' | 'text.sameExposed';

/** A user's draft about an item. */
export interface ActionDraft {
  action: Action;
  /** Whether its form is open. A closed draft is kept. */
  isOpen: boolean;
  /** The version and text of the item that the user saw. */
  version: number;
  base: string;
  /** The edited text. */
  text: string;
  /** The edit that the item carried into its review at that time; null for none. */
  carried: string | null;
  /** The server's last known copy; another window of the same user may have saved a newer one. */
  saved: SavedDraft;
  code: ReasonCode | null;
  /** Free text of the reason, or the comment. */
  note: string;
}

export interface SavedDraft {
  /** 0: nothing saved yet. */
  version: number;
  text: string;
  note: string;
}

/** Why a draft cannot be sent yet; null when it can. `received` is the text before the edit. */
export function problemOf(draft: ActionDraft, received: string): DraftProblem | null {
  switch (ACTION_RULES[draft.action].asks) {
    case 'comment':
    case 'optional-reason':
      return null;
    case 'written-reason':
      return noteOf(draft) === null ? 'note' : null;
    case 'text':
      if (draft.text.trim() === '') return 'text.blank';
      if (draft.text !== received) return null;
      return draft.action === 'correct' ? 'text.sameExposed' : 'text.same';
    case 'reason': {
      const missing = missingOfReason(draft.code, draft.note);
      return missing === null ? null : `reason.${missing}`;
    }
  }
}

/** The outcome of a draft that was sent. */
export interface Sent {
  /** Done, or waiting for a second person. */
  became: 'done' | 'waits';
  /** The approved text on hold; an undo needs this version. */
  hold: { version: number; until: string; leftMs: number } | null;
  /**
   * Why no channel gets the text although it was approved (D60); null if a channel does, or if the decision exposes
   * nothing.
   */
  obstacle: NotExposed | null;
  /** When the time of a text comes that lies ahead; null: it has. */
  aheadUntil: string | null;
}

/** The obstacle that keeps an approved text from being exposed, other than its hold. */
export type NotExposed = Exclude<Obstacle, 'STATE' | 'HELD'>;

export function notExposed({ obstacle }: Pick<ReviewDetail, 'obstacle'>): NotExposed | null {
  return obstacle === 'STATE' || obstacle === 'HELD' ? null : obstacle;
}

/** Sends a draft by the route of its action, with the version that the user saw. */
export async function send(api: ConsoleApi, target: Target, draft: ActionDraft, consent: Consent): Promise<Sent> {
  const { action } = draft;
  if (action === 'approve' || action === 'approve-carried' || action === 'approve-edited') {
    const edited = editedSummaryOf(draft);
    const answer = await (edited === null
      ? api.approve(target, noteOf(draft), { ...consent, passesOverEdit: passesOverEdit(draft) })
      : api.approveEdited(target, edited, noteOf(draft), consent));
    const { status, version, held } = answer;
    const became = status === 'PENDING_REVIEW' ? 'waits' : 'done';
    return {
      became,
      hold: held === null ? null : { version, ...held },
      obstacle: notExposed(answer),
      aheadUntil: answer.aheadUntil,
    };
  }
  await sendOther(api, target, { ...draft, action }, consent);
  return { became: 'done', hold: null, obstacle: null, aheadUntil: null };
}

/** The edited text that a draft would expose; null for none. */
export function editedSummaryOf({ action, text, carried }: ActionDraft): string | null {
  if (action === 'approve-edited' || action === 'correct') return text;
  return action === 'approve-carried' ? carried : null;
}

/** Whether an approval of the received text drops an edit that the reviewer has seen. */
export function passesOverEdit({ action, text, base, carried }: ActionDraft): boolean {
  return action === 'approve' && (carried !== null || text !== base);
}

function noteOf(draft: ActionDraft): string | null {
  return draft.note.trim() === '' ? null : draft.note.trim();
}

function sendOther(
  api: ConsoleApi,
  target: Target,
  draft: ActionDraft & { action: Exclude<Action, 'approve' | 'approve-carried' | 'approve-edited'> },
  consent: Consent,
): Promise<unknown> {
  const note = noteOf(draft);
  switch (draft.action) {
    case 'reject':
      return api.reject(target, reasonOf(draft));
    case 'block':
      return api.block(target, reasonOf(draft));
    case 'correct':
      return api.correct(target, draft.text, note, consent.acknowledged);
    case 'stop':
      return api.stop(target, reasonOf(draft));
    case 'move-to-review':
      return api.moveToReview(target, draft.code === null ? note : reasonOf(draft));
    case 'unblock':
      return api.unblock(target, note ?? '');
  }
}

function reasonOf({ code, note }: ActionDraft): string {
  if (code === null) throw new RangeError('A reason needs its code.');
  return writeReason(code, note);
}
