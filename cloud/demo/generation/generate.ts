/** Makes a load of the present moment from a scene: fresh ids, present time, one set of numbers. */
import type { Clock, Ids } from '../../../shared/time/clock.ts';
import { kstDate, kstDateTime, kstOffsetTimestamp } from '../../../shared/time/kst.ts';
import { loadSchema, type Load } from '../../publication/load.ts';
import { measuredValues, round, unitsOf } from './calculations.ts';
import { sessionAt, type Session } from './calendar.ts';
import type { Random } from './random.ts';
import type { Instrument } from './reader.ts';
import { Draw, type Scene, type Story } from './scene.ts';
import { FLAGGED_SCENES } from './scenes-flagged.ts';
import { MARKET_SCENES } from './scenes-market.ts';
import { OVERSEAS_SCENES } from './scenes-overseas.ts';
import { SECTOR_SCENES } from './scenes-sector.ts';

export const SCENES: readonly Scene[] = [...SECTOR_SCENES, ...MARKET_SCENES, ...OVERSEAS_SCENES, ...FLAGGED_SCENES];

/** The engine's release that live loads name. */
const RELEASE = 'rb-2.15.1';
/** The duration of the engine's work on one run. */
const RUN_MS = 20_000;

export interface GenerateParts {
  clock: Clock;
  ids: Ids;
  random: Random;
  instruments: readonly Instrument[];
}

/** One further firing of a random scene. */
export function liveLoad(parts: GenerateParts): Load {
  const scene = SCENES[Math.floor(parts.random.next() * SCENES.length)];
  if (scene === undefined) throw new Error('there is no scene to tell');
  return loadOf(scene, parts);
}

/** One firing of a given scene. */
export function loadOf(scene: Scene, { clock, ids, random, instruments }: GenerateParts): Load {
  const now = clock.now();
  const session = sessionAt(now);
  const draw = new Draw(random, whenWords(session));
  const story = scene.tell(draw);
  const instrument = instruments.find(({ ticker }) => ticker === scene.ticker);
  if (instrument === undefined) throw new Error(`the scene of ${scene.ticker} has no instrument in etfs.jsonl`);

  const key = `live-${ids.uuid()}`;
  const pricedAt = kstOffsetTimestamp(session.pricedAt);
  const observedReturn = round(story.move / 100, 6);
  const lineage = lineageOf(story, key, session);
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
      release_bundle_version: scene.engine === 'v2' ? null : RELEASE,
      started_at: kstOffsetTimestamp(new Date(now.getTime() - RUN_MS)),
    },
    thread: { event_thread_id: `thr-${key}`, title: story.thread },
    lineage,
  };
  const told = {
    trade_date: session.tradeDate,
    explanation_as_of: now.toISOString(),
    summary: story.summary,
    content_as_of: pricedAt,
  };
  const surface = measuredValues(observedReturn, story.calculations);
  return loadSchema.parse(
    scene.engine === 'v2'
      ? { mode: 'V2', ...base, analysis: { movement_analysis_id: `ma-${key}`, ...told } }
      : {
          mode: session.open ? 'REALTIME' : 'DAILY',
          ...base,
          result: {
            explanation_result_id: `er-${key}`,
            explanation_type: scene.type,
            confidence_level: draw.pick(scene.confidence),
            ...told,
            surface,
            surface_units: unitsOf(surface),
            ...(story.against === undefined ? {} : { counter_factors: story.against }),
          },
          failure: null,
          republication: null,
        },
  );
}

/** Documents with their source events through both branches of the lineage, and the calculations. */
function lineageOf(story: Story, key: string, session: Session): Load['lineage'] {
  const lineage: Load['lineage'] = {
    documents: [],
    source_events: [],
    event_evidences: [],
    disclosure_facts: [],
    calculations: [],
  };
  for (const [index, document] of story.documents.entries()) {
    const id = `${key}-${index + 1}`;
    const publishedAt = new Date(session.pricedAt.getTime() - document.minutesBefore * 60_000);
    const isNews = document.document_type === 'NEWS';
    const links = { document_id: `doc-${id}`, source_event_id: `evt-${id}` };
    lineage.documents.push({
      document_id: links.document_id,
      document_type: document.document_type,
      title: document.title,
      source: document.source,
      published_at: kstOffsetTimestamp(publishedAt),
      source_uri: `https://${isNews ? 'news' : 'disclosure'}.example/${id}`,
      ...(isNews ? { news_id: `news-${id}` } : {}),
      tool_run_id: `tool-${key}-search`,
      item_ids: [`item-${index + 1}`],
    });
    lineage.source_events.push({
      source_event_id: links.source_event_id,
      source_class: document.document_type,
      event_type_code: document.event_type_code,
      event_date: kstDate(publishedAt),
    });
    if (isNews) lineage.event_evidences.push({ event_evidence_id: `ee-${id}`, ...links });
    else lineage.disclosure_facts.push({ disclosure_fact_id: `df-${id}`, ...links });
  }
  for (const [index, calculation] of story.calculations.entries()) {
    lineage.calculations.push({
      ...calculation,
      as_of: session.open ? kstOffsetTimestamp(session.pricedAt) : session.tradeDate,
      tool_run_id: `tool-${key}-${index + 1}`,
      item_ids: [`item-${index + 1}`],
    });
  }
  return lineage;
}

/** The time of the newest price in the words of a Korean text. */
function whenWords({ open, pricedAt }: Session): string {
  if (!open) return '장 마감 기준';
  const [hour = 0, minute = 0] = kstDateTime(pricedAt).slice(11, 16).split(':').map(Number);
  const half = hour < 12 ? '오전' : '오후';
  return `${half} ${hour > 12 ? hour - 12 : hour}시${minute === 0 ? '' : ` ${minute}분`} 현재`;
}
