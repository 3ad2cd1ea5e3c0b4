/**
 * A day's facts as a file: the API's answer, `{ "result": … }`. So an answer that was saved by other means can be
 * opened as well, and one of an older server too: every axis but `meta` may be absent (operator API 9), and additions
 * of a newer server are ignored. A report (`incident-report.ts`) holds the same, and opens like it.
 */
import { z } from 'zod';
import { isCalendarDate } from '../../../../../shared/time/kst.ts';
import { parseJson } from '../../../../../shared/wire/json.ts';
import { TASK_OUTCOMES } from '../../../../../shared/wire/operator/constants.ts';
import type { ReadFacts } from '../../../rules/rule.ts';
import { FACTS_BYTES, findReportFacts } from './report-facts.ts';

/** A larger file is no answer of the facts API. */
export const FILE_BYTES = FACTS_BYTES;

export interface FactsFile {
  name: string;
  facts: ReadFacts;
}

export type FileFault = 'tooLarge' | 'noJson' | 'noAnswer' | 'noFacts';

/** The file holds no facts. `at` names the place in an answer of another shape, as a JSON pointer. */
export class FactsFileError extends Error {
  override name = 'FactsFileError';
  readonly fault: FileFault;
  readonly at: string;
  constructor(fault: FileFault, at = '') {
    super(`The file holds no facts: ${fault} ${at}`);
    this.fault = fault;
    this.at = at;
  }
}

const instant = z.iso.datetime({ offset: true });
const day = z.string().refine(isCalendarDate);
const count = z.int().min(0);
const signal = count.nullable();

const run = z.looseObject({
  id: z.string(),
  lane: z.string().nullable(),
  tradingDate: day.nullable(),
  ledgerStatus: z.string().nullable(),
  ledgerUpdated: instant.nullable(),
  deadline: instant.nullable(),
  cloudStatus: z.string().nullable().exactOptional(),
  cloudStop: instant.nullable().exactOptional(),
  planned: z.literal(true).exactOptional(),
  noRunRow: z.literal(true).exactOptional(),
});
const task = z.looseObject({
  runId: z.string(),
  dataset: z.string().nullable(),
  attempts: count,
  recordsOut: signal,
  unsupportedRecords: signal,
  failedRecords: signal,
  completenessExpected: signal,
  completenessActual: signal,
});
const dataset = z.looseObject({
  id: z.string(),
  contract: z.boolean(),
  expectedAsOf: day.nullable(),
  actualAsOf: day.nullable(),
  collectedAt: instant.nullable(),
  unverifiable: z.string().nullable(),
});
const output = z.looseObject({
  id: z.string(),
  label: z.string(),
  today: count,
  base: z.number().min(0).nullable(),
  unit: z.string(),
});
const boundary = z.looseObject({
  publishedWithoutDelivery: count,
  deliveryNowNonpublished: count,
  deliveryRows: count,
});
const feed = z.looseObject({ id: z.string(), label: z.string(), v: count, unit: z.string(), src: z.string() });
const stage = z.looseObject({
  id: z.string(),
  label: z.string(),
  batch: count,
  intraday: count,
  src: z.string(),
});
const etf = z.looseObject({
  etf: z.string(),
  name: z.string(),
  triggered: z.boolean(),
  outcome: z.string().nullable(),
  error: z.null(),
});
const queue = z.looseObject({ name: z.string(), visible: count, inFlight: count, dlq: count });

const hour = z.looseObject({ at: instant, count, before: z.array(count) });
const slot = z.looseObject({ id: z.string(), lane: z.string().nullable(), plannedFor: instant });
// Files of an earlier console tell of no holidays, and of no day beside the times.
const nonTradingDays = z.array(day).default([]);
const laneRhythm = z.looseObject({
  id: z.string(),
  last: instant.nullable(),
  lastDay: day.nullable().default(null),
  hours: z.array(hour),
  nonTradingDays,
});
const sourceRhythm = z.looseObject({
  id: z.string(),
  last: instant.nullable(),
  dueAt: instant.nullable(),
  hours: z.array(hour),
  nonTradingDays,
});

const failedTask = z.looseObject({
  taskKey: z.string(),
  stage: z.string(),
  dataset: z.string().nullable(),
  required: z.boolean(),
  outcome: z.enum(TASK_OUTCOMES),
  errorCode: z.string().nullable(),
  errorMessage: z.string().nullable(),
  at: instant.nullable(),
  recovery: z.looseObject({ runKey: z.string(), at: instant }).nullable(),
});
const failures = z.looseObject({
  asOf: instant,
  date: day,
  runs: z.array(
    z.looseObject({ runKey: z.string(), lane: z.string(), date: day, status: z.string(), tasks: z.array(failedTask) }),
  ),
});
const withdrawal = z.looseObject({
  id: z.string(),
  ticker: z.string(),
  instrumentName: z.string(),
  issuedAt: instant,
  waiting: count,
  overdue: count,
  neverConnected: count,
});
const waitingTenant = z.looseObject({
  tenantId: z.int(),
  name: z.string(),
  waiting: count,
  overdue: count,
  hasNamesake: z.boolean().default(false),
  waitingSince: instant,
});
const withdrawals = z.looseObject({
  asOf: instant,
  everIssued: z.boolean(),
  analyses: z.looseObject({ items: z.array(withdrawal), total: count }),
  // Files of an earlier console counted those that never connected among the items.
  tenants: z.looseObject({ items: z.array(waitingTenant), total: count, neverConnected: count.default(0) }),
});

const facts = z.looseObject({
  meta: z.looseObject({ db: instant, today: day, cloud: instant.nullable().exactOptional() }),
  runs: z.array(run).exactOptional(),
  tasks: z.array(task).exactOptional(),
  datasets: z.array(dataset).exactOptional(),
  outputs: z.array(output).exactOptional(),
  boundary: boundary.exactOptional(),
  chain: z.looseObject({ feeds: z.array(feed), stages: z.array(stage) }).exactOptional(),
  etfLedger: z.looseObject({ rows: z.array(etf) }).exactOptional(),
  slots: z.array(slot).exactOptional(),
  rhythm: z.looseObject({ lanes: z.array(laneRhythm), sources: z.array(sourceRhythm) }).exactOptional(),
  queues: z.array(queue).nullable().exactOptional(),
  failures: failures.exactOptional(),
  withdrawals: withdrawals.exactOptional(),
});

/** @throws FactsFileError */
export function readFactsText(text: string): ReadFacts {
  let answer: unknown;
  try {
    answer = parseJson(findReportFacts(text) ?? text);
  } catch {
    throw new FactsFileError('noJson');
  }
  if (typeof answer !== 'object' || answer === null || !('result' in answer)) throw new FactsFileError('noAnswer');
  const read = facts.safeParse(answer.result);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw new FactsFileError('noFacts', ['', 'result', ...(first?.path ?? [])].map(String).join('/'));
}

/** @throws FactsFileError */
export async function readFactsFile(file: File): Promise<FactsFile> {
  if (file.size > FILE_BYTES) throw new FactsFileError('tooLarge');
  return { name: file.name, facts: readFactsText(await file.text()) };
}

/** The text that `readFactsText` reads again as the same facts. */
export const writeFactsText = (result: ReadFacts): string => `${JSON.stringify({ result }, null, 2)}\n`;

export const fileNameOf = ({ meta }: ReadFacts): string => `causeway-facts-${meta.today}.json`;
