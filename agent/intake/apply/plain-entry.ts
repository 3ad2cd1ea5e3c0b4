/**
 * Whether an entry certainly fits `newEntrySchema`, decided without a copy of it. The schema decides all other entries
 * and gives the reason: this check may be too strict and never too lax (`plain-entry.test.ts`).
 */
import { MAX_TEXT_LENGTH } from '../../../shared/wire/bundle-endpoint.ts';
import type { NewEntry } from '../../../shared/wire/bundle.ts';
import { isCalendarDate } from '../../../shared/time/kst.ts';

type Fields = Record<string, unknown>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_TEXT_LENGTH;
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isId = (value: unknown): boolean => value !== '' && isText(value);
const isDate = (value: unknown): boolean => typeof value === 'string' && isCalendarDate(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** An object with a member of one of these names is left to the schema, which reads it differently. */
const isRecord = (value: unknown): boolean =>
  isObject(value) && !Object.hasOwn(value, 'constructor') && !Object.hasOwn(value, '__proto__');

const CLOCK = /^T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

const isInstant = (value: unknown): boolean =>
  typeof value === 'string' && isCalendarDate(value.slice(0, 10)) && CLOCK.test(value.slice(10));
const isInstantOrNull = (value: unknown): boolean => value === null || isInstant(value);

function isSourceEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { source_class: source, event_date: date } = value;
  return (
    isId(value['source_event_id']) &&
    (source === 'NEWS' || source === 'DISCLOSURE') &&
    isText(value['event_type_code']) &&
    (date === null || isDate(date))
  );
}

function isEvidence(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value['kind']) {
    case 'NEWS':
    case 'DISCLOSURE':
      return (
        isTextOrNull(value['title']) &&
        isText(value['source']) &&
        isInstantOrNull(value['published_at']) &&
        (value['source_uri'] === null || isTextOrAbsent(value['source_uri'])) &&
        isTextOrAbsent(value['news_id']) &&
        isTextOrAbsent(value['tool_run_id']) &&
        (value['item_ids'] === undefined || isTexts(value['item_ids']))
      );
    case 'CALCULATION':
      return (
        isText(value['title']) &&
        isText(value['source']) &&
        value['published_at'] === null &&
        isTextOrNull(value['as_of']) &&
        isText(value['tool_run_id']) &&
        isTexts(value['item_ids']) &&
        isRecord(value['arguments']) &&
        isRecord(value['output']) &&
        isTextOrNull(value['formula_latex']) &&
        isText(value['description'])
      );
    default:
      return false;
  }
}

function isResult(result: Fields): boolean {
  const { confidence_level: level, content_as_of: contentAsOf, market, observed_return: observed } = result;
  return (
    isId(result['explanation_result_id']) &&
    isId(result['etf_instrument_id']) &&
    isId(result['etf_ticker']) &&
    isText(result['etf_name']) &&
    isDate(result['trade_date']) &&
    isInstant(result['explanation_as_of']) &&
    isTextOrNull(result['explanation_type']) &&
    isText(result['summary']) &&
    (level === null || level === 'HIGH' || level === 'MEDIUM' || level === 'LOW') &&
    isText(result['primary_thread_id']) &&
    (contentAsOf === undefined || isInstantOrNull(contentAsOf)) &&
    isTextOrAbsent(result['analysis_engine']) &&
    (market === null || isTextOrAbsent(market)) &&
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
    isTextOrNull(run['release_bundle_version']) &&
    Array.isArray(events) &&
    events.every(isSourceEvent) &&
    Array.isArray(evidences) &&
    evidences.every(isEvidence)
  );
}
