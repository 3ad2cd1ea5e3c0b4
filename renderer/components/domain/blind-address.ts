/** The blind reviews as an address: which of them are listed, and which one is open. */
import type { BlindReviewItem } from '../../../shared/wire/console/console.ts';

export type ListedState = BlindReviewItem['state'];
export const LISTED_STATES = ['OPEN', 'AGREED', 'DIFFERED'] as const satisfies readonly ListedState[];

export interface BlindView {
  state: ListedState;
  /** Of the review that is open; null for the list. */
  review: string | null;
}

export function blindHref({ state, review = null }: { state: ListedState; review?: string | null }): string {
  return `/quality/blind?${new URLSearchParams({ state, ...(review === null ? {} : { review }) }).toString()}`;
}

/** An address that says nothing, or a word that nobody knows, is the list of those that wait. */
export function readBlindView(search: string): BlindView {
  const params = new URLSearchParams(search);
  const state = LISTED_STATES.find((one) => one === params.get('state')) ?? 'OPEN';
  return { state, review: params.get('review') };
}
