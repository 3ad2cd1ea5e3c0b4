/**
 * The whole path of a bundle for benchmarks: PostgreSQL, cloud and relay as processes, mutual TLS on both legs, a
 * tenant with a backlog.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { sql } from 'kysely';
import { publish } from '../../../cloud/publication/publish.ts';
import { openPostgres, type Store } from '../../../cloud/store/open.ts';
import { live, read } from '../../support/cloud/loads.ts';
import { AT } from '../../support/cloud/store.ts';
import { TestFixture } from '../../support/process.ts';
import type { BenchFixture } from '../bench.ts';

export interface Way {
  /** A relay beside the cloud. */
  url: string;
  /** The cloud itself, as an Intake without a relay reaches it. */
  directUrl: string;
  /** A second relay, behind a line to the cloud with the delay; the line itself costs work even without a delay. */
  delayedUrl: string;
  /** The engine's door and the operator API, with the demo's account. */
  vendor: { engine: string; operator: string; token: string };
  /** Files of the tenant's client certificate, and of the authority of relay and cloud. */
  identity: { cert: string; key: string; ca: string };
  /** Files of the certificate of cloud and relay, and of the authority of their callers. */
  server: { cert: string; key: string; clientCa: string };
  parts: TestFixture;
  /** One-way delay between cloud and relay, in ms. */
  delay: { ms: number };
}

const ENGINE_TOKEN = 'bench-token-of-at-least-32-characters';

interface Installation {
  pki: { ca: string; serverCert: string; serverKey: string; clientCa: string };
  tenants: [{ tenantId: number; cert: string; key: string }];
}

/** Starts everything, with this many undelivered NEW entries of some 2 KB and three evidences each. */
export async function openWay(fixture: BenchFixture, entries: number): Promise<Way> {
  const parts = new TestFixture();
  fixture.after(() => parts.clear());
  const url = await (await fixture.postgres()).createDatabase();
  const env = { CAUSEWAY_HOME: fixture.folder('cloud'), CAUSEWAY_DATABASE_URL: url };
  const init = parts.start('cloud/main.ts', { args: ['init'], env: { ...env, CAUSEWAY_DEMO: '1' } });
  const { code } = await init.ended();
  if (code !== 0) throw new Error(`the cloud cannot be prepared: ${init.stderr}`);
  const { pki, tenants } = JSON.parse(init.stdout) as Installation;
  const [tenant] = tenants;
  const store = await openPostgres(url, 1);
  await fill(store, tenant.tenantId, entries);
  await store.close();

  const cloud = parts.start('cloud/main.ts', {
    env: {
      ...env,
      CAUSEWAY_SYNC_LISTEN: '127.0.0.1:0',
      CAUSEWAY_OPERATOR_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_LISTEN: '127.0.0.1:0',
      CAUSEWAY_ENGINE_TOKEN: ENGINE_TOKEN,
      CAUSEWAY_SYNC_CERT: pki.serverCert,
      CAUSEWAY_SYNC_KEY: pki.serverKey,
      CAUSEWAY_SYNC_CLIENT_CA: pki.clientCa,
      CAUSEWAY_SYNC_CALCULATIONS: 'on',
    },
  });
  const directUrl = (await cloud.listening('sync')).url;
  const [engine, operator] = [(await cloud.listening('engine')).url, (await cloud.listening('operator')).url];
  const cloudPort = Number(new URL(directUrl).port);
  const relayTo = async (port: number): Promise<string> => {
    const relay = parts.start('agent/relay/main.ts', {
      env: {
        CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
        CAUSEWAY_RELAY_UPSTREAM: `https://127.0.0.1:${port}`,
        CAUSEWAY_RELAY_CERT: tenant.cert,
        CAUSEWAY_RELAY_KEY: tenant.key,
        CAUSEWAY_RELAY_CA: pki.ca,
        CAUSEWAY_RELAY_INWARD_CERT: pki.serverCert,
        CAUSEWAY_RELAY_INWARD_KEY: pki.serverKey,
        CAUSEWAY_RELAY_INWARD_CLIENT_CA: pki.clientCa,
      },
    });
    return (await relay.listening('relay')).url;
  };
  const delay = { ms: 0 };
  const line = await delayedLine(fixture, cloudPort, delay);
  const identity = { cert: tenant.cert, key: tenant.key, ca: pki.ca };
  const server = { cert: pki.serverCert, key: pki.serverKey, clientCa: pki.clientCa };
  return {
    url: await relayTo(cloudPort),
    directUrl,
    delayedUrl: await relayTo(line),
    vendor: { engine, operator, token: ENGINE_TOKEN },
    identity,
    server,
    parts,
    delay,
  };
}

/** One published load with its lineage, and the wanted number of similar results, each with its own firing and run. */
async function fill(store: Store, tenantId: number, entries: number): Promise<void> {
  const load = live({ key: 'first', documents: 1, summary: SUMMARY });
  await publish(store, read(load), AT);
  const copies = entries - 1;
  const rows = sql`generate_series(1, ${copies}::integer) n`;
  const template = sql`(select * from explanation_run where explanation_run_id = 'run-first') t`;
  const statements = [
    sql`insert into minute_price_trigger
      select 'trg-' || n, t.instrument_id, t.trade_date, 'FIRE', now(), 0.0123
      from (select i.instrument_id, r.trade_date from explanation_result r join instrument i on i.instrument_id = r.etf_instrument_id
        where r.explanation_run_id = 'run-first') t, ${rows}`,
    sql`insert into explanation_route (minute_price_trigger_id) select 'trg-' || n from ${rows} order by n`,
    sql`insert into explanation_run (explanation_run_id, explanation_route_id, release_bundle_id, mode, status, started_at,
        explanation_as_of, lineage_hash, created_at)
      select 'run-' || n, r.explanation_route_id, t.release_bundle_id, t.mode, t.status, t.started_at,
        t.explanation_as_of + n * interval '1 second', t.lineage_hash, t.created_at
      from ${template}, ${rows} join explanation_route r on r.minute_price_trigger_id = 'trg-' || n`,
    ...['event_evidence', 'disclosure_fact'].map(
      (what) => sql`insert into ${sql.table(`explanation_run_${what}`)}
        select (jsonb_populate_record(l, jsonb_build_object('explanation_run_id', 'run-' || n))).*
        from ${sql.table(`explanation_run_${what}`)} l, ${rows} where l.explanation_run_id = 'run-first'`,
    ),
    sql`insert into explanation_run_document select 'run-' || n, document_id, position, tool_run_id, item_ids
      from explanation_run_document, ${rows} where explanation_run_id = 'run-first'`,
    sql`insert into explanation_run_calculation
      select 'run-' || n, position, title, source, as_of, tool_run_id, item_ids, arguments, output, formula_latex, description
      from explanation_run_calculation, ${rows} where explanation_run_id = 'run-first'`,
    sql`insert into explanation_result (explanation_result_id, explanation_run_id, explanation_route_id, etf_instrument_id,
        trade_date, explanation_as_of, explanation_type, confidence_level, summary, primary_thread_id, content_as_of, surface,
        publication_status, published_at, load_hash, created_at, publication_number)
      select 'res-' || n, 'run-' || n, r.explanation_route_id, t.etf_instrument_id, t.trade_date - (n % 500),
        t.explanation_as_of + n * interval '1 second', t.explanation_type, t.confidence_level, n || t.summary,
        t.primary_thread_id, t.content_as_of, t.surface, t.publication_status, t.published_at, t.load_hash, t.created_at, nextval('publication_number')
      from (select * from explanation_result where explanation_run_id = 'run-first') t, ${rows}
        join explanation_route r on r.minute_price_trigger_id = 'trg-' || n`,
    sql`insert into tenant_delivery (tenant_id, cursor, delivery_type, explanation_result_id, created_at)
      select ${tenantId}::bigint, c.cursor + n, 'NEW', 'res-' || n, ${AT}::timestamptz
      from (select max(cursor) as cursor from tenant_delivery where tenant_id = ${tenantId}::bigint) c, ${rows}`,
    sql`update fan_out_count set fan_outs = fan_outs + ${copies}::integer`,
    sql`analyze`,
  ];
  for (const statement of statements) await statement.execute(store.db);
}

/** A text of ordinary length. */
const SUMMARY =
  ' 반도체 업종의 수출 증가 소식에 지수가 올랐습니다. 외국인이 사흘째 순매수했고, 금리 인하 기대가 커지며 성장주가 강세를 보였습니다. ' +
  '다만 환율이 올라 상승 폭은 장 후반에 줄었습니다. 공시에 따르면 주요 편입 종목이 공급 계약을 맺었고, 거래대금은 전날보다 늘었습니다.';

/** A line to a port of this machine that delays every byte in each direction. @returns its port */
export async function delayedLine(fixture: BenchFixture, to: number, delay: { ms: number }): Promise<number> {
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      // Timers of equal length fire in the order in which they were set, so the bytes stay in order.
      const later = (what: () => void): void => void (delay.ms === 0 ? what() : setTimeout(what, delay.ms));
      from.on('data', (piece) => later(() => into.write(piece)));
      from.on('end', () => later(() => into.end()));
      from.on('error', () => into.destroy());
      from.on('close', () => later(() => into.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  fixture.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

export function readIdentity({ identity }: Way): Record<keyof Way['identity'], string> {
  return {
    cert: readFileSync(identity.cert, 'utf8'),
    key: readFileSync(identity.key, 'utf8'),
    ca: readFileSync(identity.ca, 'utf8'),
  };
}

export const ledgerFile = (fixture: BenchFixture): string => path.join(fixture.folder('ledger'), 'ledger.sqlite');
