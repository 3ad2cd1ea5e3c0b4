/** Finds the hit at the caret of an edited text, and what the policy offers in its place (D213). */
import type { Replacements, WordHit } from '../../../shared/wire/console/console.ts';

/** A found expression with its phrases. The text may have changed since: it counts wherever it stands now. */
export interface Offer {
  matched: string;
  phrases: readonly string[];
}

export function offersOf(hits: readonly WordHit[], replacements: readonly Replacements[]): Offer[] {
  const phrasesOf = new Map(replacements.map(({ wordId, phrases }) => [wordId, phrases]));
  const offers = new Map<string, string[]>();
  for (const { matched, wordId } of hits) {
    const phrases = phrasesOf.get(wordId);
    if (phrases !== undefined && matched !== '')
      offers.set(matched, [...new Set([...(offers.get(matched) ?? []), ...phrases])]);
  }
  return [...offers].map(([matched, phrases]) => ({ matched, phrases }));
}

/** A place in a text at which an offer stands; UTF-16 positions, end exclusive. */
export interface Place extends Offer {
  start: number;
  end: number;
}

/** The longest found expression that holds the caret or the selection, its two ends included. */
export function offerAt(
  text: string,
  selection: { start: number; end: number },
  offers: readonly Offer[],
): Place | null {
  return placesOf(text, offers).find(({ start, end }) => start <= selection.start && selection.end <= end) ?? null;
}

/** The first place of each expression that still stands in the text, in the order of the text. */
export function firstPlaces(text: string, offers: readonly Offer[]): Place[] {
  const firsts = new Map<string, Place>();
  for (const place of placesOf(text, offers)) {
    const known = firsts.get(place.matched);
    if (known === undefined || place.start < known.start) firsts.set(place.matched, place);
  }
  return [...firsts.values()].toSorted((one, other) => one.start - other.start);
}

/** Longer ones first. */
function placesOf(text: string, offers: readonly Offer[]): Place[] {
  return offers
    .toSorted((one, other) => other.matched.length - one.matched.length)
    .flatMap((offer) => {
      const places: Place[] = [];
      for (let at = text.indexOf(offer.matched); at >= 0; at = text.indexOf(offer.matched, at + 1))
        places.push({ ...offer, start: at, end: at + offer.matched.length });
      return places;
    });
}
