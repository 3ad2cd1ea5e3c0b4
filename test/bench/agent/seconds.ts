/**
 * From the engine's load to a channel's text, and from the operator's withdrawal until no channel gets it: real
 * processes, mutual TLS on both legs, every setting as shipped, over lines of several lengths. Beside it, by turns, NATS
 * JetStream: a push consumer behind a leaf over an equal line, one durable SQLite file, and a reader of its own.
 */
import path from 'node:path';
import { Client } from 'undici';
import { live } from '../../support/cloud/loads.ts';
import { LOADS_PATH } from '../../../cloud/ingest/server.ts';
import { median, quantile, ratioRow, valueRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { delayedLine, ledgerFile, openWay, type Way } from './delivery-path.ts';
import { pause } from './idle.ts';
import { natsVersion, startPush } from './nats.ts';
import type { PeerMessage } from './seconds-peer.ts';

const ROUNDS = Number(process.env['CAUSEWAY_BENCH_ROUNDS'] ?? 100);
/** Of the line between vendor and tenant, in ms. */
const ROUND_TRIPS = [0, 40, 150] as const;
/** Required of a withdrawal without a line, in ms; a line may cost three round trips more. */
const WITHDRAWAL_MS = 500;
/** Required at 40 ms, of the time that NATS takes. */
const OF_NATS = 3;
/** Longest pause before each step: steps meet a pull at every moment of its life. */
const PAUSE_MS = 1_000;
const PATIENCE_MS = 60_000;

/** One way from the vendor to a channel. */
interface Side {
  publish(round: number): Promise<unknown>;
  withdraw(round: number): Promise<unknown>;
  /** Whether a channel gets the text of a round now. */
  isServed(round: number): Promise<boolean>;
}

interface Times {
  published: number[];
  withdrawn: number[];
}

export const seconds: Bench = {
  name: 'seconds',
  about: 'from a publication to a channel, and from a withdrawal to 404, over lines of 0, 40 and 150 ms',
  run: async (fixture) => {
    const way = await openWay(fixture, 1);
    const sides = new Map([['Causeway', await causeway(fixture, way)]]);
    const version = natsVersion();
    if (version === null) fixture.say('nats-server is not installed: Causeway alone');
    else sides.set('NATS', await nats(fixture, way));
    const rows: Row[] = [];
    let round = 0;
    for (const roundTrip of ROUND_TRIPS) {
      way.delay.ms = roundTrip / 2;
      const times = new Map<string, Times>([...sides.keys()].map((name) => [name, { published: [], withdrawn: [] }]));
      for (let turn = 0; turn < ROUNDS; turn += 1)
        for (const [name, side] of sides) await measure(side, (round += 1), times.get(name) as Times);
      rows.push(...rowsOf(roundTrip, times));
    }
    return rows;
  },
};

/** One text comes and goes. */
async function measure(side: Side, round: number, { published, withdrawn }: Times): Promise<void> {
  const timed = async (act: () => Promise<unknown>, isServed: boolean): Promise<number> => {
    await pause(Math.random() * PAUSE_MS);
    const began = performance.now();
    const acted = act();
    while ((await side.isServed(round)) !== isServed) {
      if (performance.now() - began > PATIENCE_MS) throw new Error(`round ${round}: it takes longer than a minute`);
      await pause(1);
    }
    const took = performance.now() - began;
    await acted;
    return took;
  };
  published.push(await timed(() => side.publish(round), true));
  withdrawn.push(await timed(() => side.withdraw(round), false));
}

function rowsOf(roundTrip: number, times: ReadonlyMap<string, Times>): Row[] {
  const line = `${roundTrip} ms of line`;
  const own = times.get('Causeway') as Times;
  const peer = times.get('NATS');
  const printed = (what: string, measured: number): Row => ({
    ...valueRow(`${line}: ${what}`, 'ms', measured, { atLeast: 0 }),
    target: 'printed',
  });
  const rows = [
    printed('publication to the channel, p50', median(own.published)),
    printed('publication to the channel, p99', quantile(own.published, 0.99)),
    printed('withdrawal to 404, p50', median(own.withdrawn)),
    valueRow(`${line}: withdrawal to 404, p99`, 'ms', quantile(own.withdrawn, 0.99), {
      atMost: WITHDRAWAL_MS + 3 * roundTrip,
    }),
  ];
  if (peer === undefined) return rows;
  const beside = (what: string, measured: number, limit: number): Row =>
    roundTrip === 40
      ? ratioRow(`${line}: ${what} beside NATS`, 'ms', measured, limit, { atMost: OF_NATS })
      : { ...printed(`${what} beside NATS`, measured), limit, ratio: measured / limit };
  return [
    ...rows,
    printed('NATS, publication to the channel, p50', median(peer.published)),
    printed('NATS, publication to the channel, p99', quantile(peer.published, 0.99)),
    beside('withdrawal, p50', median(own.withdrawn), median(peer.withdrawn)),
    beside('withdrawal, p99', quantile(own.withdrawn, 0.99), quantile(peer.withdrawn, 0.99)),
  ];
}

const tickerOf = (round: number): string => String(500_000 + round);

async function causeway(fixture: BenchFixture, way: Way): Promise<Side> {
  const file = ledgerFile(fixture);
  const { identity, parts, vendor } = way;
  const intake = parts.start('agent/intake/main.ts', {
    env: {
      CAUSEWAY_LEDGER: file,
      CAUSEWAY_DEMO: '1',
      CAUSEWAY_INTAKE_UPSTREAM: way.delayedUrl,
      CAUSEWAY_INTAKE_CERT: identity.cert,
      CAUSEWAY_INTAKE_KEY: identity.key,
      CAUSEWAY_INTAKE_CA: identity.ca,
    },
  });
  await intake.logLine('ready', (line) => line.msg === 'ready');
  const provision = parts.start('agent/provision/main.ts', {
    env: { CAUSEWAY_LEDGER: file, CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0', CAUSEWAY_DEMO: '1' },
  });
  const isServed = asking(fixture, (await provision.listening('provision')).url, { authorization: 'Bearer demo-mts' });
  const cookie = await signIn(vendor.operator);
  const send = async (url: string, headers: Record<string, string>, body: unknown): Promise<void> => {
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status}: ${text.slice(0, 500)}`);
  };
  return {
    isServed: (round) => isServed(`/v1/explanations/${tickerOf(round)}`),
    publish: (round) =>
      send(
        `${vendor.engine}${LOADS_PATH}`,
        { authorization: `Bearer ${vendor.token}` },
        live({ key: `round-${round}`, ticker: tickerOf(round) }),
      ),
    withdraw: (round) =>
      send(
        `${vendor.operator}/api/v1/analyses/res-round-${round}/invalidate`,
        { 'content-type': 'application/json', cookie },
        { reason: '수치 오류' },
      ),
  };
}

async function signIn(operator: string): Promise<string> {
  const login = await fetch(`${operator}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
  });
  return login.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function nats(fixture: BenchFixture, way: Way): Promise<Side> {
  const { leafPort, subject, publish } = await startPush(fixture, way, (port) => delayedLine(fixture, port, way.delay));
  const file = path.join(fixture.folder('seconds-peer'), 'shown.sqlite');
  const { cert, key, ca } = way.identity;
  const script = 'test/bench/agent/seconds-peer.ts';
  const reader = way.parts.start(script, { args: ['read', file] });
  const isServed = asking(fixture, (await reader.listening('reader')).url, {});
  const receiver = way.parts.start(script, { args: ['receive', file, String(leafPort), subject, cert, key, ca] });
  await receiver.listening('receiver');
  const text = '반도체 업황 우려로 하락했습니다.'.repeat(20);
  const send = (message: PeerMessage): Promise<void> => publish(JSON.stringify(message));
  return {
    isServed: (round) => isServed(`/v1/explanations/${tickerOf(round)}`),
    publish: (round) => send({ ticker: tickerOf(round), text }),
    withdraw: (round) => send({ ticker: tickerOf(round), text: null }),
  };
}

/** A channel's kept connection. @returns whether a path is answered 200; 404 is no */
function asking(
  fixture: BenchFixture,
  url: string,
  headers: Record<string, string>,
): (path: string) => Promise<boolean> {
  const client = new Client(url);
  fixture.after(() => client.close());
  return async (asked) => {
    const { statusCode, body } = await client.request({ method: 'GET', path: asked, headers });
    await body.dump();
    if (statusCode !== 200 && statusCode !== 404) throw new Error(`${asked} was answered ${statusCode}`);
    return statusCode === 200;
  };
}
