/** Makes a load of the present moment from a story of the market: fresh ids, the present time, one set of numbers. */
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import { kstDate, kstDateTime, kstOffsetTimestamp } from '../../../shared/time/kst.ts';
import { loadSchema, type Load } from '../../publication/load.ts';
import { measuredValues, round, unitsOf } from './calculations.ts';
import { sessionAt, type Session } from './calendar.ts';
import { minuteOf, SESSION, shareOf, type Market } from './market.ts';
import type { Random } from './random.ts';
import type { Instrument } from './reader.ts';
import { filled, tellStory, type StoryMoment } from './story.ts';

/** The engine's release that live loads name. */
const RELEASE = 'rb-2.15.1';
/** The duration of the engine's work on one run. */
const RUN_MS = 20_000;
/** The probability of a sentence with a word that needs a review or is blocked, where a story has one. */
const FLAGGED = 0.12;

/** The pretended disclosure system, as `stories.jsonl` names it. */
const DISCLOSURES = '모의 전자공시';

export interface GenerateParts {
  clock: Clock;
  ids: Ids;
  random: Random;
  instruments: readonly Instrument[];
  market: Market;
  /** How long ago the moment of the market was that is played now. */
  shiftMs?: number;
}

/** Which firings are wanted: with sentences of a kind, of some stories alone. */
export interface Wish {
  ending?: 'flags' | 'blocks';
  fits?(told: StoryMoment): boolean;
}

/** Whether a fund is one of those that wait in the queue that a demo opens with: at first the firings are about others. */
export const isOfOpening = (ticker: string): boolean => shareOf(`opening ${ticker}`) < 0.6;

/**
 * One further firing of a random fund. One ticker has one story at one minute, so that all texts about it agree.
 *
 * @returns null where the market has nothing of this kind to tell
 */
export function liveLoad(parts: GenerateParts, wish: Wish = {}): Load | null {
  const now = parts.clock.now();
  const session = sessionAt(new Date(now.getTime() - (parts.shiftMs ?? 0)));
  const tellable = momentsOf(parts, session).filter(
    (told) => (wish.ending === undefined || told.story[wish.ending].length > 0) && wish.fits?.(told) !== false,
  );
  return tellable.length === 0 ? null : loadOf(pick(parts.random, tellable), session, parts, wish.ending);
}

/** What the market has to tell at the moment of a session. */
function momentsOf({ instruments, market }: GenerateParts, { tradeDate, pricedAt, open }: Session): StoryMoment[] {
  const minute = open ? minuteOf(pricedAt) : SESSION;
  const { tickers } = market.toldOn(tradeDate);
  return instruments.flatMap((instrument) => {
    if (tickers.has(instrument.ticker)) return [];
    const fitting = market.stories
      .filter((story) => story.tickers.includes(instrument.ticker))
      .flatMap((story) => tellStory({ instrument, story, date: tradeDate, minute }, market) ?? []);
    const one = fitting[Math.floor(shareOf(`${tradeDate} ${instrument.ticker}`) * fitting.length)];
    return one === undefined ? [] : [one];
  });
}

function pick<T>(random: Random, from: readonly T[]): T {
  const one = from[Math.floor(random.next() * from.length)];
  if (one === undefined) throw new RangeError('the list to choose from is empty');
  return one;
}

function loadOf(
  told: StoryMoment,
  session: Session,
  { clock, ids, random, market }: GenerateParts,
  ending?: Wish['ending'],
): Load {
  const now = clock.now();
  const { story, instrument } = told;
  const when = whenWords(session);
  const risky = [...story.flags, ...story.blocks];
  const endings =
    ending === undefined ? (random.next() < FLAGGED && risky.length > 0 ? risky : story.tail) : story[ending];
  const summary =
    `${filled(pick(random, story.summary), told, when)} ${filled(pick(random, endings), told, when)}`.trim();

  const key = `live-${ids.uuid()}`;
  const pricedAt = kstOffsetTimestamp(session.pricedAt);
  const observedReturn = round(told.move / 100, 6);
  const lineage = lineageOf(told, key, session, market);
  const base = {
    instrument,
    trigger: {
      trigger_id: `trg-${key}`,
      kind: session.open ? 'MINUTE' : 'BATCH',
      fired_at: pricedAt,
      observed_return: observedReturn,
    },
    run: {
      explanation_run_id: `run-${key}`,
      release_bundle_version: story.engine === 'v2' ? null : RELEASE,
      started_at: kstOffsetTimestamp(new Date(now.getTime() - RUN_MS)),
    },
    thread: { event_thread_id: `thr-${key}`, title: story.thread },
    lineage,
  };
  const body = {
    trade_date: session.tradeDate,
    explanation_as_of: now.toISOString(),
    summary,
    content_as_of: pricedAt,
  };
  const surface = measuredValues(observedReturn, [told.calculation]);
  return loadSchema.parse(
    story.engine === 'v2'
      ? { mode: 'V2', ...base, analysis: { movement_analysis_id: `ma-${key}`, ...body } }
      : {
          mode: session.open ? 'REALTIME' : 'DAILY',
          ...base,
          result: {
            explanation_result_id: `er-${key}`,
            explanation_type: story.type ?? 'EVENT_SUPPORTED',
            confidence_level: pick(random, story.confidence),
            ...body,
            surface,
            surface_units: unitsOf(surface),
            ...(story.against === undefined ? {} : { counter_factors: story.against }),
          },
          failure: null,
          republication: null,
        },
  );
}

/** Documents with their source events through both branches of the lineage, and the calculation. */
function lineageOf(told: StoryMoment, key: string, session: Session, market: Market): Load['lineage'] {
  const lineage: Load['lineage'] = {
    documents: [],
    source_events: [],
    event_evidences: [],
    disclosure_facts: [],
    calculations: [],
  };
  const turn = market.turnOf(told.story.group, told.date);
  const atOpening = Date.parse(`${told.date}T09:00:00+09:00`);
  for (const [index, [source, event_type_code, template, isIntraday]] of told.story.documents.entries()) {
    const id = `${key}-${index + 1}`;
    const title = filled(template, told, '');
    const isNews = source !== DISCLOSURES;
    // What turned a group came shortly before, other news before the opening; disclosures are taken from half past seven on.
    const [from, within] = turn !== null && told.minute > turn ? [turn - 25, 20] : isNews ? [-140, 130] : [-90, 80];
    const document_type = isNews ? 'NEWS' : 'DISCLOSURE';
    // One piece of news has one time, whichever text quotes it: before the opening, or some minutes
    // before the price.
    const share = shareOf(`${told.date} ${title}`);
    const publishedAt = new Date(
      isIntraday === true
        ? Math.max(session.pricedAt.getTime() - (2 + Math.floor(share * 20)) * 60_000, atOpening + 60_000)
        : atOpening + (from + Math.floor(share * within)) * 60_000,
    );
    const links = { document_id: `doc-${id}`, source_event_id: `evt-${id}` };
    lineage.documents.push({
      document_id: links.document_id,
      document_type,
      title,
      source,
      published_at: kstOffsetTimestamp(publishedAt),
      source_uri: `https://${isNews ? 'news' : 'disclosure'}.example/${id}`,
      ...(isNews ? { news_id: `news-${id}` } : {}),
      tool_run_id: `tool-${key}-search`,
      item_ids: [`item-${index + 1}`],
    });
    lineage.source_events.push({
      source_event_id: links.source_event_id,
      source_class: document_type,
      event_type_code: filled(event_type_code, told, ''),
      event_date: kstDate(publishedAt),
    });
    if (isNews) lineage.event_evidences.push({ event_evidence_id: `ee-${id}`, ...links });
    else lineage.disclosure_facts.push({ disclosure_fact_id: `df-${id}`, ...links });
  }
  lineage.calculations.push({
    ...told.calculation,
    as_of: session.open ? kstOffsetTimestamp(session.pricedAt) : session.tradeDate,
    tool_run_id: `tool-${key}-1`,
    item_ids: ['item-1'],
  });
  return lineage;
}

/** The time of the newest price in the words of a Korean text. */
function whenWords({ open, pricedAt }: Session): string {
  if (!open) return '장 마감 기준';
  const [hour = 0, minute = 0] = kstDateTime(pricedAt).slice(11, 16).split(':').map(Number);
  const half = hour < 12 ? '오전' : '오후';
  return `${half} ${hour > 12 ? hour - 12 : hour}시${minute === 0 ? '' : ` ${minute}분`} 현재`;
}
