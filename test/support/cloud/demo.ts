/**
 * Conditions on every text of the demo, shipped or live, written apart from the code that makes the texts; and
 * repeatable randomness.
 */
import type { Lineage, Load } from '../../../cloud/publication/load.ts';
import type { Random } from '../../../cloud/demo/generation/random.ts';

/** The text that a load would publish, where it has one. */
export function textOf(load: Load): string | null {
  return load.mode === 'V2' ? load.analysis.summary : (load.result?.summary ?? null);
}

/** The id that a load would publish, if any. */
export function idOf(load: Load): string | null {
  return load.mode === 'V2' ? load.analysis.movement_analysis_id : (load.result?.explanation_result_id ?? null);
}

/** Whether a load has measured values: a text without them is a "cannot judge" one. */
export function isMeasured(load: Load): boolean {
  return load.mode === 'V2' || (load.result !== null && load.result.surface !== null);
}

/** Faults of the wording: double spaces, placeholders, numbers that went wrong, dates that grow stale. */
export function wordingFaults(text: string): string[] {
  const patterns: [string, RegExp][] = [
    ['double space', / {2}|\n|\t/],
    ['placeholder', /[{}]|undefined|null|NaN|Infinity|\[object/],
    ['double sign', /--|\+-|-\+/],
    ['calendar date', /\d{4}년|\d+월 ?\d+일|\d{4}-\d{2}/],
    ['missing full stop', /[^.]$/],
    ['space before punctuation', / [.,]/],
  ];
  return patterns.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}

const UP = /오르|오른|올랐|올라|올린|올렸|오름|상승|급등|뛰었|강세|쌓이며/;
const DOWN = /내린|내렸|내려|내리|하락|급락|낙폭|끌어내|밀리|밀려/;

/** Whether the text names the observed return with two decimals, and its direction beside it. */
export function tellsReturn(text: string, observedReturn: number): boolean {
  const written = `${(Math.abs(observedReturn) * 100).toFixed(2)}%`;
  const [wanted, other] = observedReturn > 0 ? [UP, DOWN] : [DOWN, UP];
  for (let at = text.indexOf(written); at >= 0; at = text.indexOf(written, at + 1)) {
    if (text.startsWith('p', at + written.length) || /\d/.test(text[at - 1] ?? '')) continue;
    const after = (text.slice(at + written.length).split(/[,.] |며 |고 /)[0] ?? '').slice(0, 16);
    const before = text.slice(Math.max(0, at - 24), at);
    if (wanted.test(after) || (!other.test(after) && wanted.test(before))) return true;
  }
  return false;
}

/** Percentages of two decimals in the text that match neither the return nor a calculation. */
export function unfoundedPercentages(
  text: string,
  observedReturn: number,
  calculations: Lineage['calculations'],
): string[] {
  const known = new Set([Math.abs(observedReturn * 100).toFixed(2)]);
  const collect = (value: unknown): void => {
    if (typeof value === 'number') known.add(Math.abs(value).toFixed(2));
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const { arguments: given, output } of calculations) [given, output].forEach(collect);
  return [...text.matchAll(/(\d+\.\d{2})%p?/g)].map((match) => match[1] ?? '').filter((number) => !known.has(number));
}

/** Calculations with a main result that the text does not name. */
export function untoldCalculations(text: string, calculations: Lineage['calculations']): string[] {
  const bare = text.replaceAll(',', '');
  return calculations
    .filter(
      ({ output }) => !Object.values(output).some((value) => typeof value === 'number' && says(bare, Math.abs(value))),
    )
    .map(({ title }) => title);
}

function says(text: string, value: number): boolean {
  return [value.toFixed(2), value.toFixed(1), String(value)].some((written) =>
    new RegExp(`(?<![\\d.])${written.replace('.', '\\.')}(?!\\d)`).test(text),
  );
}

type Numbers = Record<string, number>;

/** Recomputes a calculation from its arguments; @returns the largest difference from its output */
export function calculationError({ title, arguments: given, output }: Lineage['calculations'][number]): number {
  const a = given as Numbers;
  const o = output as Numbers;
  const off = (name: string, expected: number): number => Math.abs((o[name] ?? Number.NaN) - expected);
  const n = (name: string): number => a[name] ?? Number.NaN;
  switch (title) {
    case '구성 종목 기여도':
      return off('contribution_pp', (n('weight_pct') / 100) * n('return_pct'));
    case '상위 구성 종목 기여도 합계': {
      const parts = given['constituents'] as { weight_pct: number; return_pct: number }[];
      const told = output['contributions'] as { contribution_pp: number }[];
      const each = parts.map((part, index) =>
        Math.abs((told[index]?.contribution_pp ?? Number.NaN) - (part.weight_pct / 100) * part.return_pct),
      );
      return Math.max(
        ...each,
        off(
          'sum_pp',
          told.reduce((sum, { contribution_pp }) => sum + contribution_pp, 0),
        ),
      );
    }
    case '괴리율':
      return off('premium_pct', ((n('price_krw') - n('nav_krw')) / n('nav_krw')) * 100);
    case '지수 대비 초과 수익률':
      return off('excess_pp', n('etf_return_pct') - n('benchmark_return_pct'));
    case '원화 환산 수익률':
      return off(
        'krw_return_pct',
        n('asset_return_pct') + n('fx_return_pct') + (n('asset_return_pct') * n('fx_return_pct')) / 100,
      );
    case '배수 추적 수익률':
      return Math.max(
        off('expected_return_pct', n('multiple') * n('underlying_return_pct')),
        off('gap_pp', n('etf_return_pct') - n('multiple') * n('underlying_return_pct')),
      );
    case '거래대금 배율':
      return off('multiple', n('turnover_100m_krw') / n('average_20d_100m_krw'));
    case '금리 변동의 가격 효과':
      return off('price_effect_pct', -n('duration_years') * (n('yield_change_bp') / 100));
    case '외국인·기관 순매수 합계':
      return off('sum_100m_krw', n('foreign_100m_krw') + n('institution_100m_krw'));
    case '분배락 효과':
      return off('effect_pct', (-n('distribution_krw') * 100) / n('previous_close_krw'));
    default:
      throw new Error(`no formula is known for "${title}"`);
  }
}

/** Half of the last digit that an output carries. */
export function tolerance({ title }: Lineage['calculations'][number]): number {
  return (title === '거래대금 배율' ? 0.05 : 0.005) + 1e-9;
}

/** References of a lineage that lead nowhere, documents that no branch reaches, events that nothing refers to. */
export function lineageFaults(lineage: Lineage): string[] {
  const documents = new Set(lineage.documents.map((row) => row.document_id));
  const events = new Set(lineage.source_events.map((row) => row.source_event_id));
  const links = [...lineage.event_evidences, ...lineage.disclosure_facts];
  const types = new Map(lineage.documents.map((row) => [row.document_id, row.document_type]));
  return [
    ...links.filter((link) => !documents.has(link.document_id)).map((link) => `no document ${link.document_id}`),
    ...links
      .filter((link) => link.source_event_id !== null && !events.has(link.source_event_id))
      .map((link) => `no event ${link.source_event_id}`),
    ...[...documents].filter((id) => !links.some((link) => link.document_id === id)).map((id) => `unreached ${id}`),
    ...[...events].filter((id) => !links.some((link) => link.source_event_id === id)).map((id) => `unused ${id}`),
    ...lineage.event_evidences
      .filter((link) => types.get(link.document_id) !== 'NEWS')
      .map((link) => `not news ${link.document_id}`),
    ...lineage.disclosure_facts
      .filter((link) => types.get(link.document_id) !== 'DISCLOSURE')
      .map((link) => `no disclosure ${link.document_id}`),
  ];
}

/** A repeatable sequence (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
