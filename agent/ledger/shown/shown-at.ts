/**
 * Derives from recorded facts what was exposed of a ticker at any moment (D154), by the rule of
 * `serving/visibility.ts`. Pure: another program gets the same result from the same facts.
 *
 * Each list of facts is in the order of recording. At an instant, the facts up to the last row with an earlier or equal
 * time count: after a clock was set back, this is the last occurrence of the instant. At `readAt`, when the facts were
 * read, all facts count.
 */
import type { Showing, ShownCause } from '../../../shared/wire/console/console.ts';
import { kstInstant, kstMinute } from '../../../shared/time/kst.ts';
import { provisionOf, type Provision, type ProvisionMove } from '../explanations/standing.ts';
import { isExposable } from '../explanations/transition-table.ts';
import { comesAt } from '../serving/ahead.ts';
import type { FactValues, ServingFields } from '../serving/record.ts';
import type { ServedPeriod } from '../serving/served.ts';

interface At {
  /** ISO instant. */
  at: string;
}

export interface MoveFact extends At, ProvisionMove {
  id: number;
  actor: string;
  reason: string | null;
  policy_version: number | null;
  authors: readonly string[];
}

export interface ExplanationFacts {
  id: string;
  /** The vendor's fields as they are, and as they were before each time at which an entry changed them. */
  fields: ServingFields;
  former: readonly (At & { fields: ServingFields })[];
  moves: readonly MoveFact[];
  served: readonly ServedPeriod[];
}

type FactsOf<K extends keyof FactValues> = readonly (At & FactValues[K])[];

/** The facts that decide about one ticker in a span. Explanations that cannot be exposed in the span may be absent. */
export interface ShownFacts {
  ticker: string;
  readAt: string;
  /** Earlier moments are unknown. */
  begins: string;
  explanations: readonly ExplanationFacts[];
  policies: FactsOf<'POLICY'>;
  scope: FactsOf<'SCOPE'>;
  channels: FactsOf<'CHANNEL'>;
  instrument: FactsOf<'INSTRUMENT'>;
  rebuilds: FactsOf<'REBUILD'>;
  corrected: readonly At[];
  restored: FactsOf<'RESTORED'>;
  /** Every row of the record about the ticker or all tickers: a count of requests names the latest one (D181). */
  recorded: readonly (At & { seq: number })[];
}

/** The instant is later than the reading. */
export class InstantAheadError extends Error {
  override name = 'InstantAheadError';
  constructor(instant: string, readAt: string) {
    super(`${instant} lies ahead: it is ${readAt} now. What will be shown then is not known.`);
  }
}

/** Facts up to an instant, in the order of their recording. */
export function upTo<T extends At>(told: readonly T[], instant: string, { readAt }: ShownFacts): readonly T[] {
  return instant === readAt ? told : told.slice(0, told.findLastIndex(({ at }) => at <= instant) + 1);
}

/** One explanation as it stood at an instant. */
interface StateAt {
  of: ExplanationFacts;
  fields: ServingFields;
  moves: readonly MoveFact[];
  provision: Provision;
  isHeld: boolean;
}

function statesAt(facts: ShownFacts, instant: string): StateAt[] {
  return facts.explanations.flatMap((of) => {
    const moves = upTo(of.moves, instant, facts);
    const provision = provisionOf(moves);
    const fields = of.former[upTo(of.former, instant, facts).length]?.fields ?? of.fields;
    if (provision === undefined || fields.etf_ticker !== facts.ticker) return [];
    return [{ of, fields, moves, provision, isHeld: isHeldAt(of, provision, instant, facts) }];
  });
}

/** A text that a channel got after its hold is not on hold again when the clock is set back. */
function isHeldAt({ served }: ExplanationFacts, provision: Provision, instant: string, facts: ShownFacts): boolean {
  const { held_until: until } = provision;
  if (until === null || until <= instant) return false;
  return !(instant === facts.readAt && served.some(({ lastAt }) => lastAt >= until));
}

/** The explanation is exposed, or was before. */
const everExposed = ({ provision, isHeld }: StateAt): boolean =>
  provision.published_summary !== null && (provision.published_before !== null || !isHeld);

/** State and time let it be exposed. */
const isUp = ({ provision, isHeld }: StateAt): boolean => isExposable(provision.status) && !isHeld;

type Placed = Pick<StateAt, 'fields'>;

function isBefore({ fields: one }: Placed, { fields: other }: Placed): boolean {
  if (one.trade_date !== other.trade_date) return one.trade_date > other.trade_date;
  if (one.explanation_as_of !== other.explanation_as_of) return one.explanation_as_of > other.explanation_as_of;
  return one.cursor > other.cursor;
}

const latestOf = (standings: readonly StateAt[]): StateAt | undefined =>
  standings.reduce<StateAt | undefined>((top, one) => (top === undefined || isBefore(one, top) ? one : top), undefined);

/** One that was exposed is off, and was taken off after another one had been stated (D60, D202). */
const keepsBack = (one: StateAt, stated: string): boolean =>
  everExposed(one) && !isUp(one) && (one.provision.ended_position ?? '~') >= stated;

/** The latest that is up and that no later one keeps back; without one the latest that was exposed. */
function candidateOf(standings: readonly StateAt[]): StateAt | undefined {
  const isKeptBack = (one: StateAt): boolean =>
    standings.some((other) => isBefore(other, one) && keepsBack(other, one.provision.stated_position));
  return latestOf(standings.filter((one) => isUp(one) && !isKeptBack(one))) ?? latestOf(standings.filter(everExposed));
}

/** All that it is in a span, with its present fields; a hold that ends in the span counts as a hold. */
function statesIn(facts: ShownFacts, of: ExplanationFacts, { from, to }: { from: string; to: string }): StateAt[] {
  const first = upTo(of.moves, from, facts).length;
  const last = upTo(of.moves, to, facts).length;
  return Array.from({ length: last - first + 1 }, (_, n) => of.moves.slice(0, first + n)).flatMap((moves) => {
    const provision = provisionOf(moves);
    if (provision === undefined) return [];
    const isHeld = provision.held_until !== null && provision.held_until > from;
    return [{ of, fields: of.fields, moves, provision, isHeld }];
  });
}

/** Whether an explanation is up, with its present fields, at every moment of a span. */
export function isUpThrough(facts: ShownFacts, one: ExplanationFacts, span: { from: string; to: string }): boolean {
  if (one.fields.etf_ticker !== facts.ticker || upTo(one.former, span.from, facts).length < one.former.length)
    return false;
  return upTo(one.moves, span.from, facts).length > 0 && statesIn(facts, one, span).every(isUp);
}

/** The position of an explanation that is up through a span, if one of the others may keep it back in it. */
export function heldBackFrom(
  facts: ShownFacts,
  one: ExplanationFacts,
  others: readonly ExplanationFacts[],
  span: { from: string; to: string },
): string | undefined {
  const stated = statesIn(facts, one, span)[0]?.provision.stated_position ?? '';
  return others
    .filter((other) => other.former.length > 0 || isBefore(other, one))
    .some((other) => statesIn(facts, other, span).some((each) => keepsBack(each, stated)))
    ? stated
    : undefined;
}

type Scope = ReadonlyMap<string, At & FactValues['SCOPE']>;

const scopeKey = (type: string, key: string): string => JSON.stringify([type, key]);

/** The switch that excludes the ticker, if any (D64). */
function objection(
  off: Scope,
  fields: ServingFields,
  instrument: FactValues['INSTRUMENT'] | undefined,
): (At & FactValues['SCOPE']) | undefined {
  const market = fields.market ?? instrument?.market ?? null;
  const sector = instrument?.sector ?? null;
  const ofMarket =
    market === null ? [...off.values()].find(({ type }) => type === 'MARKET') : off.get(scopeKey('MARKET', market));
  return (
    ofMarket ??
    off.get(scopeKey('INSTRUMENT', fields.etf_ticker)) ??
    (sector === null ? undefined : off.get(scopeKey('SECTOR', sector)))
  );
}

/**
 * @param instant ISO, in UTC with milliseconds
 * @throws InstantAheadError
 */
export function shownAt(facts: ShownFacts, instant: string): Showing {
  if (instant > facts.readAt) throw new InstantAheadError(instant, facts.readAt);
  const unknown = unknownAt(facts, instant);
  if (unknown !== null) return { state: 'UNKNOWN', reason: unknown };
  const standings = statesAt(facts, instant);
  const candidate = candidateOf(standings);
  const switches = new Map(upTo(facts.scope, instant, facts).map((told) => [scopeKey(told.type, told.key), told]));
  const off: Scope = new Map([...switches].filter(([, { enabled }]) => enabled === 0));
  const open = new Map(upTo(facts.channels, instant, facts).map((told) => [told.channel, told.open === 1]));
  const beside = {
    channels: [...open.keys()]
      .filter((channel) => open.get(channel) === true)
      .toSorted()
      .map((channel) => ({ channel, inside: !off.has(scopeKey('CHANNEL', channel)) })),
    corrected: instant !== facts.readAt && facts.corrected.some(({ at }) => at > instant),
    repeated: isRepeated(facts, instant),
  };
  const nothing = (
    reason: Extract<Showing, { state: 'NOTHING' }>['reason'],
    one: StateAt | undefined,
    scope: Extract<Showing, { state: 'NOTHING' }>['scope'] = null,
  ): Showing => ({
    state: 'NOTHING',
    reason,
    id: one?.of.id ?? null,
    status: one?.provision.status ?? null,
    scope,
    ...beside,
  });
  if (candidate === undefined) {
    const held = standings.find(({ isHeld, provision }) => isHeld && isExposable(provision.status));
    if (held === undefined) return nothing('NOTHING_YET', undefined);
    return nothing(comesAt(held.fields) > instant ? 'AHEAD' : 'HELD', held);
  }
  const { fields, provision, of } = candidate;
  if (!isExposable(provision.status)) return nothing('STATE', candidate);
  if (candidate.isHeld) return nothing(comesAt(fields) > instant ? 'AHEAD' : 'HELD', candidate);
  const policy = upTo(facts.policies, instant, facts).at(-1);
  const expiresAt = policy?.expiresAt ?? null;
  if (expiresAt !== null && `${fields.trade_date}T${expiresAt}` <= kstMinute(new Date(instant)))
    return nothing('EXPIRED', candidate);
  if (provision.valid_until !== null && provision.valid_until <= instant) return nothing('LAPSED', candidate);
  if (policy === undefined && fields.analysis_engine !== 'v2') return nothing('NO_POLICY', candidate);
  const kept = objection(off, fields, upTo(facts.instrument, instant, facts).at(-1));
  if (kept !== undefined) return nothing('SCOPE', candidate, { type: kept.type, key: kept.key });
  if (upTo(facts.rebuilds, instant, facts).at(-1)?.held === 1) return nothing('REBUILD', candidate);
  const letOut = candidate.moves.findLast(({ published_summary }) => published_summary === provision.published_summary);
  if (provision.published_summary === null || letOut === undefined)
    throw new TypeError(`no move of ${of.id} has let out the text that is shown`);
  return {
    state: 'GIVEN',
    id: of.id,
    etf_name: fields.etf_name,
    trade_date: fields.trade_date,
    explanation_as_of: fields.explanation_as_of,
    content_as_of: fields.content_as_of,
    text: provision.published_summary,
    disclaimer: policy?.disclaimer ?? null,
    disclaimerVersion: policy?.version ?? null,
    since: letOut.at,
    move: letOut.move,
    actor: letOut.actor,
    authors: [...letOut.authors],
    approvalNumber: provision.approval_number,
    policyVersion: letOut.policy_version,
    ...beside,
  };
}

function unknownAt({ begins, restored, readAt }: ShownFacts, instant: string): 'BEFORE_RECORD' | 'RESTORED' | null {
  // The present state is known even where the clock was set back.
  if (instant === readAt) return null;
  if (instant < begins) return 'BEFORE_RECORD';
  const isBetween = ({ at, since }: At & FactValues['RESTORED']): boolean =>
    instant < at && (since === null || instant > since);
  return restored.some(isBetween) ? 'RESTORED' : null;
}

/** All lists of facts that are in the order of recording. */
const lists = (facts: ShownFacts): readonly (readonly At[])[] => [
  facts.recorded,
  facts.policies,
  facts.scope,
  facts.channels,
  facts.instrument,
  facts.rebuilds,
  ...facts.explanations.flatMap(({ moves, former }) => [moves, former]),
];

/**
 * Whether the clock was set back over the instant: a later row has an earlier time, or a text was served in the future.
 */
function isRepeated(facts: ShownFacts, instant: string): boolean {
  const isOver = (told: readonly At[]): boolean => {
    const last = told.findLastIndex(({ at }) => at <= instant);
    return told.slice(0, last + 1).some(({ at }) => at > instant);
  };
  const isServedAhead = facts.explanations.some(({ served }) => served.some(({ lastAt }) => lastAt > facts.readAt));
  const isRead = instant !== facts.readAt && lists(facts).some((told) => told.some(({ at }) => at > facts.readAt));
  return isServedAhead || isRead || lists(facts).some(isOver);
}

export interface Span {
  from: string;
  /** The next span begins here. */
  to: string;
  showing: Showing;
  causes: ShownCause[];
}

/**
 * The spans between two instants, without a gap, each with the causes that began it.
 *
 * @throws InstantAheadError
 */
export function bandOf(facts: ShownFacts, from: string, to: string): Span[] {
  const spans: Span[] = [];
  for (const at of [from, ...changesBetween(facts, from, to)]) {
    const showing = shownAt(facts, at);
    const last = spans.at(-1);
    if (last !== undefined && isSame(last.showing, showing)) continue;
    if (last !== undefined) last.to = at;
    spans.push({ from: at, to, showing, causes: last === undefined ? [] : causesAt(facts, at) });
  }
  return spans;
}

const isSame = (one: Showing, other: Showing): boolean => JSON.stringify(one) === JSON.stringify(other);

const nextInstant = (at: string): string => new Date(Date.parse(at) + 1).toISOString();

/** All instants at which the showing may change, ascending. */
function changesBetween(facts: ShownFacts, from: string, to: string): string[] {
  const times = [
    ...lists(facts).flatMap((told) => told.map(({ at }) => at)),
    ...facts.corrected.map(({ at }) => at),
    ...facts.explanations.flatMap(({ moves }) =>
      moves.flatMap(({ held_until, valid_until }) => [held_until ?? [], valid_until ?? []].flat()),
    ),
    ...expiries(facts).map(({ at }) => at),
    ...facts.restored.flatMap(({ at, since }) => [at, ...(since === null ? [] : [nextInstant(since)])]),
    facts.begins,
    facts.readAt,
  ];
  return [...new Set(times)].filter((at) => at > from && (at < to || at === facts.readAt) && at <= to).toSorted();
}

/** The instants at which texts expire by any policy. */
function expiries({ explanations, policies }: ShownFacts): { at: string; time: string }[] {
  const days = new Set(
    explanations
      .flatMap(({ fields, former }) => [fields, ...former.map((each) => each.fields)])
      .map((each) => each.trade_date),
  );
  const set = new Set(policies.flatMap(({ expiresAt }) => expiresAt ?? []));
  return [...days].flatMap((day) => [...set].map((time) => ({ at: kstInstant(day, time).toISOString(), time })));
}

function causesAt(facts: ShownFacts, at: string): ShownCause[] {
  const then = <T extends At>(told: readonly T[]): T[] => told.filter((each) => each.at === at);
  const causes: ShownCause[] = [
    ...(facts.begins === at ? [{ kind: 'RECORD_BEGINS' } as const] : []),
    ...facts.restored.flatMap(({ at: restoredAt, since }): ShownCause[] => {
      if (restoredAt === at) return [{ kind: 'RESTORED' }];
      return since !== null && nextInstant(since) === at ? [{ kind: 'BACKUP_ENDS' }] : [];
    }),
    ...facts.explanations.flatMap(({ id, moves, former }): ShownCause[] => [
      ...then(former).map(() => ({ kind: 'FIELDS', id }) as const),
      ...then(moves).map(
        ({ move, to_status: to, actor, reason }) => ({ kind: 'MOVE', id, move, to, actor, reason }) as const,
      ),
    ]),
    ...statesAt(facts, at)
      .filter(({ provision }) => provision.held_until === at)
      .map(({ of }) => ({ kind: 'HOLD_OVER', id: of.id }) as const),
    ...statesAt(facts, at)
      .filter(({ provision }) => provision.valid_until === at)
      .map(({ of }) => ({ kind: 'LAPSED', id: of.id }) as const),
    ...expiries(facts)
      .filter((each) => each.at === at && each.time === upTo(facts.policies, at, facts).at(-1)?.expiresAt)
      .slice(0, 1)
      .map(({ time }) => ({ kind: 'EXPIRED', time }) as const),
    ...then(facts.scope).map(
      ({ type, key, enabled, by }) => ({ kind: 'SCOPE', type, key, enabled: enabled === 1, by }) as const,
    ),
    ...then(facts.instrument).map(
      ({ market, sector, by = null }) => ({ kind: 'INSTRUMENT', market, sector, by }) as const,
    ),
    ...then(facts.policies).map(({ version, by }) => ({ kind: 'POLICY', version, by }) as const),
    ...then(facts.channels).map(({ channel, open }) => ({ kind: 'CHANNEL', channel, open: open === 1 }) as const),
    ...then(facts.rebuilds).map(({ held }) => ({ kind: 'REBUILD', held: held === 1 }) as const),
    ...then(facts.corrected).map(() => ({ kind: 'CORRECTED' }) as const),
  ];
  return causes.length === 0 ? [{ kind: 'CLOCK' }] : causes;
}
