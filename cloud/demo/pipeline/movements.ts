/**
 * Price movements of a trading day without an explanation: triggers, observations, routes, and runs without a result.
 * Results come through the engine's door alone.
 */
import type { Random } from '../generation/random.ts';
import { between, later, pick, type Day } from './day.ts';
import { sessionOf } from './minutes.ts';
import type { Asserted } from './news.ts';
import type { LedgerTable } from './rows.ts';

const BATCH_TRIGGERS = 12;
const FIRE_TRIGGERS = 9;
const REVERT_TRIGGERS = 3;
const HOLDS = 18;
/** The share that continues from one stage to the next. */
const OBSERVED = 0.85;
const ROUTED = 0.6;
const RUN = 0.6;
const EVIDENCES = 4;
const THRESHOLD = 0.015;

export function generateMovements(day: Day, asserted: readonly Asserted[]): void {
  if (!day.trading) return;
  const random = day.random('movements');
  for (let n = 0; n < BATCH_TRIGGERS; n += 1) {
    const fired = later(day.at('1530'), 2 + n / 10);
    const trigger = movement(day, random, 'price_movement_trigger', `pipe-batch-${day.date}-${n}`, fired, {});
    follow(day, random, trigger, asserted);
  }
  for (let n = 0; n < FIRE_TRIGGERS + REVERT_TRIGGERS; n += 1) {
    const signal = n < FIRE_TRIGGERS ? 'FIRE' : 'REVERT';
    const fired = later(day.at('0910'), between(random, 0, 370));
    const trigger = movement(day, random, 'minute_price_trigger', `pipe-minute-${day.date}-${n}`, fired, { signal });
    ground(day, random, trigger, signal);
    if (signal === 'FIRE') follow(day, random, trigger, asserted);
  }
  for (let n = 0; n < HOLDS; n += 1) {
    const at = later(day.at('0910'), between(random, 0, 370));
    ground(
      day,
      random,
      { instrument: pick(random, day.world.etfs).instrument_id, change: drift(random) / 4, fired: at },
      'HOLD',
    );
  }
}

interface Movement {
  table: 'price_movement_trigger' | 'minute_price_trigger';
  id: string;
  instrument: string;
  change: number;
  fired: Date;
}

/** Between -4 % and 4 %, and never too little to fire. */
function drift(random: Random): number {
  const size = THRESHOLD + random.next() * 0.025;
  return Math.round((random.next() < 0.5 ? -size : size) * 10_000) / 10_000;
}

function movement(
  day: Day,
  random: Random,
  table: Movement['table'],
  id: string,
  fired: Date,
  more: { signal?: string },
): Movement {
  const instrument = pick(random, day.world.etfs).instrument_id;
  const change = drift(random);
  day.add(table, fired, {
    trigger_id: id,
    instrument_id: instrument,
    trade_date: day.date,
    fired_at: fired.toISOString(),
    observed_return: change,
    ...more,
  });
  return { table, id, instrument, change, fired };
}

/** From the trigger to a run, as far as the movement gets. */
function follow(day: Day, random: Random, trigger: Movement, asserted: readonly Asserted[]): void {
  const goes = [random.next() < OBSERVED, random.next() < ROUTED, random.next() < RUN];
  const [batch, minute] = trigger.table === 'price_movement_trigger' ? [trigger.id, null] : [null, trigger.id];
  const references = { price_movement_trigger_id: batch, minute_price_trigger_id: minute };
  const price_observation_id = `${trigger.table}:${trigger.id}`;
  const route = day.id('explanation_route');
  const run = `${trigger.id}-run`;
  const begins = later(trigger.fired, 3);
  const ends = later(begins, between(random, 2, 25));
  const status = random.next() < 0.8 ? 'FAILED' : 'CANCELLED';
  const known = asserted.filter(({ at }) => at < begins);
  const used = known.length === 0 ? [] : Array.from({ length: EVIDENCES }, () => pick(random, known));
  if (goes[0] !== true) return;
  const observed = later(trigger.fired, 1);
  day.add('price_observation', observed, {
    price_observation_id,
    instrument_id: trigger.instrument,
    trade_date: day.date,
    observed_at: observed.toISOString(),
  });
  day.add('price_observation_trigger', observed, { price_observation_id, ...references });
  if (goes[1] !== true) return;
  day.add('explanation_route', later(trigger.fired, 2), {
    explanation_route_id: route,
    price_observation_id,
    ...references,
  });
  if (goes[2] !== true) return;
  day.add('explanation_run', begins, {
    explanation_run_id: run,
    explanation_route_id: route,
    release_bundle_id: null,
    mode: batch === null ? 'REALTIME' : 'DAILY',
    status: day.reached(ends) ? status : day.reached(later(begins, 1)) ? 'RUNNING' : 'PENDING',
    started_at: begins.toISOString(),
    explanation_as_of: begins.toISOString(),
    lineage_hash: run,
    created_at: begins.toISOString(),
  });
  for (const [n, { assertion, event }] of [...new Set(used)].entries()) {
    const event_evidence_id = `${run}-evidence-${n}`;
    day.add('event_evidence', begins, { event_evidence_id, source_event_id: event, document_assertion_id: assertion });
    day.add('explanation_run_event_evidence', begins, {
      explanation_run_id: run,
      event_evidence_id,
      stage_code: 'PROMPT',
    });
  }
}

const WORDS: Record<string, string> = { FIRE: '기준을 넘은 변동', REVERT: '변동이 되돌아옴', HOLD: '기준 안의 변동' };

function ground(
  day: Day,
  random: Random,
  { instrument, change, fired }: Pick<Movement, 'instrument' | 'change' | 'fired'>,
  judgment: string,
): void {
  const table: LedgerTable = 'minute_judgment_ground';
  const reference_price = between(random, 50, 600) * 100;
  const price = Math.round((reference_price * (1 + change)) / 5) * 5;
  const hasText = random.next() < 0.9;
  day.add(table, later(fired, 1), {
    minute_judgment_ground_id: day.id(table),
    session_id: sessionOf(day.date),
    instrument_id: instrument,
    minute_at: fired.toISOString(),
    judgment,
    price,
    reference_price,
    change_rate: change,
    threshold: THRESHOLD,
    reason: judgment === 'HOLD' ? 'BELOW_THRESHOLD' : 'THRESHOLD_CROSSED',
    original_text: hasText ? `${WORDS[judgment]}: ${reference_price}원에서 ${price}원` : null,
    judged_at: later(fired, 1).toISOString(),
  });
}
