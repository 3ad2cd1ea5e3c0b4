/** The blind reviews as an address: the listed state, and the open review. */
import type { BlindReviewItem } from '../../../shared/wire/console/console.ts';

export type ListedState = BlindReviewItem['state'];
export const LISTED_STATES = ['OPEN', 'AGREED', 'DIFFERED'] as const satisfies readonly ListedState[];

export interface BlindView {
  state: ListedState;
  /** Id of the open review; null for the list. */
  review: string | null;
}

export function blindHref({ state, review = null }: { state: ListedState; review?: string | null }): string {
  return `/quality/blind?${new URLSearchParams({ state, ...(review === null ? {} : { review }) }).toString()}`;
}

/** Reads an address; one without a known state shows the waiting reviews. */
export function readBlindView(search: string): BlindView {
  const params = new URLSearchParams(search);
  const state = LISTED_STATES.find((one) => one === params.get('state')) ?? 'OPEN';
  return { state, review: params.get('review') };
}
