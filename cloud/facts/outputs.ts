/** Five counts of the day, each beside its usual value (operator API 2, `outputs`; D49). */
import { sql, type RawBuilder } from 'kysely';
import type { OutputFact, OutputId } from '../../shared/wire/facts.ts';
import type { Trx } from '../store/open.ts';
import type { Baseline } from './day.ts';

interface Output {
  id: OutputId;
  label: string;
  unit: string;
  /** Whether it has a usual value only on trading days. */
  marketBound: boolean;
  /** Counts the rows of day `d.day`. */
  count: RawBuilder<unknown>;
}

/** Rows that became available on a day in Korea. */
const onDay = sql`available_at >= d.day::timestamp at time zone 'Asia/Seoul'
  and available_at < (d.day + 1)::timestamp at time zone 'Asia/Seoul'`;

/** Results of both generations: an analysis of v2 takes the place of a result (sync protocol 9). */
const OUTPUTS: readonly Output[] = [
  {
    id: 'o.pub',
    label: 'explanation results',
    unit: 'results',
    marketBound: true,
    count: sql`
      (select count(*) from explanation_result where trade_date = d.day and publication_status = 'PUBLISHED')
      + (select count(*) from movement_analysis where trade_date = d.day and publication_status = 'PUBLISHED')`,
  },
  {
    id: 'o.trig',
    label: 'batch price-movement triggers',
    unit: 'triggers',
    marketBound: true,
    count: sql`(select count(*) from price_movement_trigger where trade_date = d.day)`,
  },
  {
    id: 'o.doc',
    label: 'documents',
    unit: 'documents',
    marketBound: false,
    count: sql`(select count(*) from document where document_type = 'NEWS' and ${onDay})`,
  },
  {
    id: 'o.asr',
    label: 'document assertions',
    unit: 'assertions',
    marketBound: false,
    count: sql`(select count(*) from document_assertion where ${onDay})`,
  },
  {
    id: 'o.evt',
    label: 'source events',
    unit: 'events',
    marketBound: false,
    count: sql`(select count(*) from source_event where ${onDay})`,
  },
];

/** @param isToday whether the viewed day is today in Korea: an output still being loaded has no usual value */
export async function readOutputs(
  trx: Trx,
  viewed: string,
  isToday: boolean,
  baseline: Baseline,
): Promise<OutputFact[]> {
  const days = isToday ? [viewed] : [viewed, ...baseline.days];
  const columns = OUTPUTS.map(({ id, count }) => sql`${count} as ${sql.id(id)}`);
  const { rows } = await sql<Record<OutputId, number>>`
    select ${sql.join(columns)}
    from unnest(${`{${days.join()}}`}::date[]) with ordinality d (day, place) order by d.place`.execute(trx);
  const [own, ...sample] = rows;
  if (own === undefined) throw new Error('the viewed day was not counted');
  return OUTPUTS.map(({ id, label, unit, marketBound }) => ({
    id,
    label,
    today: own[id],
    base: isToday || (marketBound && baseline.nonTrading) ? null : median(sample.map((counts) => counts[id])),
    unit,
  }));
}

/** Null without values: there is no usual value. */
function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}
