/** The reviewers' work in the past: rounds through the queue, second opinions, checks of samples and blind reviews. */
import { fromStored } from '../../../shared/evidence/evidence.ts';
import { openFiguresIn } from '../../../shared/evidence/support.ts';
import {
  DECISIONS,
  type BlindReview,
  type BlindReviewItem,
  type Decision,
  type ExplanationItem,
  type Opinion,
  type Page,
  type ReviewDetail,
  type ReviewItem,
} from '../../../shared/wire/console/console.ts';
import { Chance } from './chance.ts';
import { RefusedError, type Person } from './person.ts';
import type { SeededClock } from './seeded-clock.ts';
import { softened, words } from './words.ts';

export interface Round {
  reviewer: Person;
  clock: SeededClock;
  chance: Chance;
  /** The items that fit into the time. */
  most: number;
  /** Items that the reviewer leaves. */
  kept: ReadonlySet<string>;
  /** How long the reviewer takes for an item, against a quiet day. */
  pace: number;
  /** Only what waits since before this; nobody is asked about it any more. */
  since?: Date;
}

/** How often a reviewer requests an opinion before deciding. */
const ASKS = 0.2;
const NOTES = 0.08;
/** How often a reviewer decides like the majority. */
const OF_ONE_MIND = 0.87;

/** Works through the queue, longest wait first. @returns whether items may remain */
export async function reviewQueue({ reviewer, clock, chance, most, kept, pace, since }: Round): Promise<boolean> {
  let isLeft = false;
  const { items } = await reviewer.ask<Page<ReviewItem>>('GET', '/api/v1/review/items?size=100');
  const isMeant = ({ id, waitingSince }: ReviewItem): boolean =>
    !kept.has(id) && (since === undefined || new Date(waitingSince) < since);
  for (const [index, item] of items.filter(isMeant).entries()) {
    isLeft ||= index >= most || item.opinion?.given === null || item.waitingEdit !== null;
    if (index >= most) break;
    const { opinion, waitingEdit } = item;
    if (opinion !== null && opinion.given === null) {
      if (!opinion.mine) await giveOpinion(opinion.id, { reviewer, clock, chance, pace });
      continue;
    }
    if (waitingEdit?.mine === true) continue;
    const path = `/api/v1/review/items/${item.id}`;
    await reviewer.ask('POST', `${path}/claim`);
    clock.pass(chance.between(35, 320) * 1_000 * pace);
    if (since === undefined && opinion === null && waitingEdit === null && chance.happens(ASKS)) {
      await reviewer.ask('POST', `${path}/opinions`, { question: chance.pick(words.questions) });
      await reviewer.ask('DELETE', `${path}/claim`);
      isLeft = true;
      continue;
    }
    if (chance.happens(NOTES)) await reviewer.ask('POST', `${path}/notes`, { text: chance.pick(words.notes) });
    await decide(reviewer, await reviewer.ask<ReviewDetail>('GET', path), chance);
  }
  return isLeft;
}

async function giveOpinion(
  id: string,
  { reviewer, clock, chance, pace }: Omit<Round, 'most' | 'kept' | 'since'>,
): Promise<void> {
  clock.pass(chance.between(60, 240) * 1_000 * pace);
  const opinion = chance.pick<Opinion>(['APPROVE', 'APPROVE', 'APPROVE_EDITED', 'REJECT']);
  await reviewer.ask('POST', `/api/v1/review/opinions/${id}/answer`, { opinion, text: chance.pick(words.opinions) });
}

/** What a reviewer acknowledges who has read the item and sends this text. */
function acknowledged(
  item: ReviewDetail,
  text: string,
): { acknowledgedWords: string[]; acknowledgedFigures: string[] } {
  const { hitsNow, underReview } = item;
  const words = [...hitsNow.summary, ...underReview.hits].map(({ wordId }) => wordId);
  const notices = hitsNow.missing.summary.map(({ noticeId }) => noticeId);
  const open = openFiguresIn(text, item, item.grounds.evidences.map(fromStored));
  return {
    acknowledgedWords: [...new Set([...words, ...notices])],
    acknowledgedFigures: open.map((figure) => figure.text),
  };
}

/** Approves an edited text. What the console finds in it alone is acknowledged when it asks, as by a second Ctrl+Enter. */
export async function approveEdited(
  reviewer: Person,
  item: ReviewDetail,
  { edited, comment }: { edited: string; comment: string },
): Promise<void> {
  const asked = acknowledged(item, edited);
  const send = (acknowledgedWords: string[]): Promise<unknown> =>
    reviewer.ask('POST', `/api/v1/review/items/${item.id}/approve-edited`, {
      edited_summary: edited,
      comment,
      ...asked,
      acknowledgedWords,
    });
  try {
    await send(asked.acknowledgedWords);
  } catch (error) {
    const named = error instanceof RefusedError && error.code === 'REVIEW4094' ? error.namedIn(ACKNOWLEDGED) : [];
    if (named.length === 0) throw error;
    await send([...asked.acknowledgedWords, ...named]);
  }
}

const ACKNOWLEDGED = 'body.acknowledgedWords.';

async function decide(reviewer: Person, item: ReviewDetail, chance: Chance): Promise<void> {
  const path = `/api/v1/review/items/${item.id}`;
  const { hitsNow, waitingEdit, underReview } = item;
  const isBlocked = [...hitsNow.summary, ...underReview.hits].some(({ severity }) => severity === 'BLOCK');
  const edited = waitingEdit?.text ?? softened(item.summary);
  const fitting = chance.happens(OF_ONE_MIND)
    ? fittingDecision({ summary: item.summary, hits: hitsNow.summary.length }, isBlocked)
    : chance.pick(DECISIONS);
  switch (waitingEdit === null ? fitting : 'approve-edited') {
    case 'approve':
      await reviewer.ask('POST', `${path}/approve`, {
        text: 'RECEIVED',
        comment: chance.happens(0.5) ? chance.pick(words.approved) : null,
        ...acknowledged(item, item.summary),
      });
      return;
    case 'approve-edited':
      return approveEdited(reviewer, item, { edited, comment: chance.pick(words.edited) });
    case 'reject':
      await reviewer.ask('POST', `${path}/reject`, { reason: chance.pick(words.rejected) });
      return;
    case 'block':
      await reviewer.ask('POST', `${path}/block`, { reason: chance.pick(words.blocked) });
  }
}

/** The majority's decision about a text: it depends only on the text, so that two reviewers mostly agree. */
function fittingDecision({ summary, hits }: { summary: string; hits: number }, isBlocked: boolean): Decision {
  if (isBlocked) return 'block';
  const dice = new Chance(`fitting ${summary}`).next();
  if (hits > 0) return dice < 0.5 ? 'approve-edited' : dice < 0.8 ? 'approve' : dice < 0.92 ? 'reject' : 'block';
  return dice < 0.74 ? 'approve' : dice < 0.84 ? 'approve-edited' : 'reject';
}

/** Checks texts provided without a review. */
export async function reviewSamples({ reviewer, clock, chance, most }: Round): Promise<void> {
  const { items } = await reviewer.ask<Page<ExplanationItem>>('GET', '/api/v1/review/samples');
  for (const { id } of items.slice(0, most)) {
    clock.pass(chance.between(30, 120) * 1_000);
    await reviewer.ask('POST', `/api/v1/review/samples/${id}`, { outcome: chance.happens(0.9) ? 'FINE' : 'MISSED' });
  }
}

/** A reviewer's blind reviews of a colleague's decisions. */
export async function reviewBlindly({ reviewer, clock, chance, most }: Round): Promise<void> {
  const { items } = await reviewer.ask<Page<BlindReviewItem>>('GET', '/api/v1/review/blind-reviews');
  for (const { id } of items.slice(0, most)) {
    const path = `/api/v1/review/blind-reviews/${id}`;
    const { item, hadAPart } = await reviewer.ask<BlindReview>('GET', path);
    if (item === null || hadAPart) continue;
    clock.pass(chance.between(60, 200) * 1_000);
    const hits = item.checks.flatMap((check) => check.hits);
    const isBlocked = hits.some(({ severity }) => severity === 'BLOCK');
    const fitting = fittingDecision({ summary: item.summary, hits: hits.length }, isBlocked);
    const outcome = chance.happens(OF_ONE_MIND) ? fitting : chance.pick(DECISIONS);
    await reviewer.ask('POST', path, { outcome, reason: chance.pick(words.blind_reasons) });
  }
}
