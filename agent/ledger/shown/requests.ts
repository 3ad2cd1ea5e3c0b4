/**
 * How many requests were served a text in each span of what was shown (D181). Pure.
 *
 * A count covers answers that followed from one state on record, so it belongs to the span of that state: a request
 * that was answered while a change was being committed is counted with the text that it was served. Where the state
 * names no span, after a clock was set back, the times of the first and the last request give bounds.
 */
import type { ShownRequests } from '../../../shared/wire/console/shown.ts';
import type { ServedPeriod } from '../serving/served.ts';
import { bandOf, upTo, type ExplanationFacts, type ShownFacts, type Span } from './shown-at.ts';

export interface ServedSpan extends Span {
  /** By channel. Empty where nothing was exposed or no request came. */
  requests: ShownRequests[];
}

/**
 * The spans between two instants, each with its requests.
 *
 * @throws InstantAheadError
 */
export function servedBandOf(facts: ShownFacts, from: string, to: string): ServedSpan[] {
  const spans = bandOf(facts, from, to).map((span): ServedSpan => ({ ...span, requests: [] }));
  for (const explanation of facts.explanations) {
    const own = spans.filter(({ showing }) => showing.state === 'GIVEN' && showing.id === explanation.id);
    const states = own.map((span) => statesOf(facts, explanation, span));
    for (const period of own.length === 0 ? [] : explanation.served) {
      // Only a move or a fact brings an explanation back, so that no two spans have a state in common.
      const certain = own.find((_, index) => isOfState(period, states[index]));
      for (const span of certain === undefined ? own : [certain]) {
        // Within the band the state decides alone; at its ends the time does too.
        const isOpen = (end: ServedSpan | undefined): boolean => certain !== undefined && span !== end;
        const fit = fitOf(period, {
          from: isOpen(spans[0]) ? '' : span.from,
          to: isOpen(spans.at(-1)) || span.to === facts.readAt ? null : span.to,
        });
        const isExact =
          fit === 'INSIDE' && certain !== undefined && 'repeated' in span.showing && !span.showing.repeated;
        if (fit !== 'OUTSIDE') add(span.requests, period, isExact);
      }
    }
  }
  for (const { requests } of spans) requests.sort((one, other) => (one.channel < other.channel ? -1 : 1));
  return spans;
}

/** The states on record that a span goes through. */
interface States {
  moves: readonly [first: number, last: number];
  facts: readonly [first: number, last: number];
}

function statesOf(facts: ShownFacts, { moves }: ExplanationFacts, { from, to }: Span): States {
  const until = to === facts.readAt ? to : new Date(Date.parse(to) - 1).toISOString();
  const move = (at: string): number => upTo(moves, at, facts).at(-1)?.id ?? 0;
  const fact = (at: string): number => upTo(facts.recorded, at, facts).at(-1)?.seq ?? 0;
  return { moves: [move(from), move(until)], facts: [fact(from), fact(until)] };
}

const isOfState = ({ afterMove, afterFact }: ServedPeriod, states: States | undefined): boolean =>
  states !== undefined && isWithin(afterMove, states.moves) && isWithin(afterFact, states.facts);

const isWithin = (one: number, [first, last]: readonly [number, number]): boolean => first <= one && one <= last;

type Fit = 'INSIDE' | 'PARTLY' | 'OUTSIDE';

/** @param to the first instant outside; null: none */
function fitOf({ firstAt, lastAt }: ServedPeriod, { from, to }: { from: string; to: string | null }): Fit {
  if (lastAt < from || (to !== null && firstAt >= to)) return 'OUTSIDE';
  return firstAt >= from && (to === null || lastAt < to) ? 'INSIDE' : 'PARTLY';
}

function add(requests: ShownRequests[], { channel, times, firstAt, lastAt }: ServedPeriod, isExact: boolean): void {
  const known = requests.find((each) => each.channel === channel);
  const least = isExact ? times : 0;
  if (known === undefined) requests.push({ channel, times: least, most: times, firstAt, lastAt });
  else {
    known.times += least;
    known.most += times;
    if (firstAt < known.firstAt) known.firstAt = firstAt;
    if (lastAt > known.lastAt) known.lastAt = lastAt;
  }
}
