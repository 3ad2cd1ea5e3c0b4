/**
 * Whether an entry certainly fits `newEntrySchema`, decided without a copy of it. The schema decides all other entries
 * and gives the reason: this check may be too strict and never too lax (`plain-entry.test.ts`).
 */
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { isCandidate, isOf, whyUnfit } from '../../../shared/wire/entry-fields.ts';
import { isCalendarDate } from '../../../shared/time/kst.ts';

type Fields = Record<string, unknown>;

type Field = Parameters<typeof isOf>[0];
const isOrNull = (field: Field, value: unknown): boolean => value === null || isOf(field, value);
const isOrAbsent = (field: Field, value: unknown): boolean => value === undefined || isOf(field, value);
const isId = (value: unknown): boolean => isOf('id', value);
const isDate = (value: unknown): boolean => typeof value === 'string' && isCalendarDate(value);
const isIds = (value: unknown): boolean => Array.isArray(value) && value.every(isId);
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** An object with a member of one of these names is left to the schema, which reads it differently. */
const isRecord = (value: unknown): boolean =>
  isObject(value) && !Object.hasOwn(value, 'constructor') && !Object.hasOwn(value, '__proto__');

const CLOCK = /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/;
/** Years whose first or last day may lie outside of those that can be stored. */
const OUTERMOST = /^(?:0001|9999)/;

const isInstant = (value: unknown): boolean =>
  typeof value === 'string' &&
  isCalendarDate(value.slice(0, 10)) &&
  CLOCK.test(value.slice(10)) &&
  !OUTERMOST.test(value);
const isInstantOrNull = (value: unknown): boolean => value === null || isInstant(value);

function isSourceEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { source_class: source, event_date: date } = value;
  return (
    isId(value['source_event_id']) &&
    (source === 'NEWS' || source === 'DISCLOSURE') &&
    isOf('code', value['event_type_code']) &&
    (date === null || isDate(date))
  );
}

function isEvidence(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value['kind']) {
    case 'NEWS':
    case 'DISCLOSURE':
      return (
        isOrNull('title', value['title']) &&
        isOf('source', value['source']) &&
        isInstantOrNull(value['published_at']) &&
        (value['source_uri'] === null || isOrAbsent('address', value['source_uri'])) &&
        isOrAbsent('id', value['news_id']) &&
        isOrAbsent('id', value['tool_run_id']) &&
        (value['item_ids'] === undefined || isIds(value['item_ids']))
      );
    case 'CALCULATION':
      return (
        value['title'] !== '' &&
        isOf('title', value['title']) &&
        isOf('source', value['source']) &&
        value['published_at'] === null &&
        (isInstantOrNull(value['as_of']) || isDate(value['as_of'])) &&
        isId(value['tool_run_id']) &&
        isIds(value['item_ids']) &&
        isRecord(value['arguments']) &&
        isRecord(value['output']) &&
        isOrNull('formula', value['formula_latex']) &&
        isOf('text', value['description'])
      );
    default:
      return false;
  }
}

function isResult(result: Fields): boolean {
  const { confidence_level: level, content_as_of: contentAsOf, market, observed_return: observed, summary } = result;
  return (
    isId(result['explanation_result_id']) &&
    isId(result['etf_instrument_id']) &&
    isId(result['etf_ticker']) &&
    isOf('name', result['etf_name']) &&
    isDate(result['trade_date']) &&
    isInstant(result['explanation_as_of']) &&
    isOrNull('code', result['explanation_type']) &&
    isCandidate(summary) &&
    (result['analysis_engine'] !== 'v2' || whyUnfit(summary) === null) &&
    (level === null || level === 'HIGH' || level === 'MEDIUM' || level === 'LOW') &&
    isId(result['primary_thread_id']) &&
    (contentAsOf === undefined || isInstantOrNull(contentAsOf)) &&
    isOrAbsent('code', result['analysis_engine']) &&
    (market === null || isOrAbsent('market', market)) &&
    (observed === undefined || observed === null || Number.isFinite(observed))
  );
}

export function isPlainNew(raw: Fields): raw is NewEntry {
  const { cursor, explanation_result: result, explanation_run: run, source_events: events, evidences } = raw;
  return (
    raw['delivery_type'] === 'NEW' &&
    Number.isSafeInteger(cursor) &&
    (cursor as number) >= 0 &&
    isObject(result) &&
    isResult(result) &&
    isObject(run) &&
    isId(run['explanation_run_id']) &&
    isOrNull('code', run['release_bundle_version']) &&
    Array.isArray(events) &&
    events.every(isSourceEvent) &&
    Array.isArray(evidences) &&
    evidences.every(isEvidence)
  );
}
