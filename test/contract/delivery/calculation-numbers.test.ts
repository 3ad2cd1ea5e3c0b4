/**
 * A calculation's arguments and output go from the vendor's bytes to the console without any conversion
 * (sync protocol 2): through the Intake, the ledger and the console API.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { checkEnvelope } from '../../../agent/intake/receive/envelope.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { bodyOf, bundleOf, newAt, readableLog, TENANT } from '../../support/agent/intake.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { TestConsole } from '../../support/console-api/console.ts';

const ARGUMENTS = '{"__proto__":{"polluted":true},"window":-0,"threshold":0.1000,"ids":["12345678901234567890"]}';
const OUTPUT = `{"huge":1e400,"tiny":1E-400,"exact":12345678901234567890,"trailing":0.1000,"deep":${'['.repeat(40)}1.0${']'.repeat(40)},"none":null,"constructor":[]}`;
const SOURCES = '[{"source_event_id":"e","source_class":"NEWS","event_type_code":"X","event_date":null,"weight":0.50}]';
/** White space and an escape that no serialiser of ours writes: the ledger keeps them, an answer need not. */
const EVIDENCES = `[ {"kind":"CALCULATION","title":"\\u0061","source":"s","published_at":null,"as_of":null,"tool_run_id":"t",
  "item_ids":[],"arguments":${ARGUMENTS},"output":${OUTPUT},"formula_latex":null,"description":"d"} ]`;

const NOW = '2026-11-20T08:00:00.000Z';
const id = explanationId('exact');
let console: TestConsole;

/** The body as it came; its entry's lists are put in as texts, since no value could say them. */
function bodyWith(cursor: number, evidences: string): Buffer {
  const entry = { ...newAt(cursor, 'exact'), evidences: '@evidences', source_events: '@sources' };
  const text = bodyOf(bundleOf(cursor - 1, [entry])).toString();
  return Buffer.from(text.replace('"@evidences"', () => evidences).replace('"@sources"', () => SOURCES));
}

function receive(cursor: number, evidences: string): void {
  const body = bodyWith(cursor, evidences);
  expect(checkEnvelope(body, { after: cursor - 1, tenantId: null })).toMatchObject({ kind: 'BUNDLE' });
  const { ledger } = console;
  ledger.write((tx) =>
    commitBundle(tx, {
      cursorFrom: cursor - 1,
      cursorTo: cursor,
      bundleId: crypto.randomUUID(),
      entryCount: 1,
      tenantId: TENANT,
      body,
      signature: null,
      statement: null,
      receivedAt: NOW,
    }),
  );
  const { log } = readableLog();
  applyNext({ ledger, log, clock: { now: () => new Date(NOW) }, screenEntry: createEntryScreening(log) });
}
const rowOf = () => console.ledger.first(sqlite.selectFrom('explanation').selectAll().where('id', '=', id));
async function answered(path: string): Promise<string> {
  const answer = await console.app.inject({
    url: path,
    headers: { host: '127.0.0.1', cookie: `causeway_session=${console.session('COMPLIANCE_REVIEWER')}` },
  });
  expect(answer.statusCode).toBe(200);
  return answer.body;
}

beforeAll(() => {
  console = new TestConsole();
  receive(1, EVIDENCES);
});
afterAll(() => console.close());

test('the ledger keeps the texts byte for byte', () => {
  expect(rowOf()).toMatchObject({ evidences: EVIDENCES, source_events: SOURCES, version: 1 });
});

test.each([`/api/v1/explanations/${id}`, `/api/v1/review/items/${id}`])(
  'GET %s answers every digit and name',
  async (path) => {
    const body = await answered(path);
    expect(body).toContain(`"arguments":${ARGUMENTS}`);
    expect(body).toContain(`"output":${OUTPUT}`);
    expect(body).toContain(SOURCES);
  },
);

test('the same evidence in another spelling changes nothing, and another digit does', () => {
  receive(2, EVIDENCES.replaceAll(/\n\s*/g, ''));
  expect(rowOf()).toMatchObject({ evidences: EVIDENCES, version: 1 });
  const changed = EVIDENCES.replace('12345678901234567890,', '12345678901234567891,');
  receive(3, changed);
  expect(rowOf()).toMatchObject({ evidences: changed, version: 2 });
});
