/**
 * The same records into the same durable file, by Causeway and by NATS JetStream in one run: entries per second and
 * processor time of all processes. NATS hands on bytes that are there; it does not assemble, validate or screen.
 */
import Database from 'better-sqlite3';
import { valueRow, median, ratioRow, type Bench, type BenchFixture, type Row } from '../bench.ts';
import { processorTimeMs } from '../processor-time.ts';
import { ledgerFile, openWay, type Way } from './delivery-path.ts';
import { receiveAll } from './drain.ts';
import { fetchAll, natsVersion, startNats } from './nats.ts';
import { openSink } from './sink.ts';

const ENTRIES = 50_000;
const ROUNDS = 3;
/** What NATS fetched of the sink's own rate in the last run where both were there; it stands in where none is installed. */
const NATS_OF_SINK = 0.34;

/** Required of the rate of a NATS fetch of 100 over one hop. */
const TARGETS = {
  'relay, limit 100': 0.75,
  'no relay, limit 100': 1,
  'relay, limit 500': 1.1,
} as const;

interface Measured {
  rates: number[];
  /** µs of processor time for an entry. */
  costs: number[];
}

export const peers: Bench = {
  name: 'peers',
  about: `${ENTRIES.toLocaleString('en')} entries to a durable cursor, beside NATS JetStream where it is installed`,
  run: async (fixture) => {
    fixture.say('filling the cloud');
    const way = await openWay(fixture, ENTRIES);
    const messages = await entriesOf(fixture, way);
    const sides = new Map<string, () => Promise<number>>();
    for (const limit of [100, 500]) {
      sides.set(`relay, limit ${limit}`, () => receiveAll(fixture, way, limit, ENTRIES));
      sides.set(`no relay, limit ${limit}`, () => receiveAll(fixture, { ...way, url: way.directUrl }, limit, ENTRIES));
      sides.set(`sink, limit ${limit}`, () => Promise.resolve(writeAll(fixture, messages, limit)));
    }
    const version = natsVersion();
    if (version !== null) {
      fixture.say(`filling ${version}`);
      const { direct, leaf } = await startNats(fixture, way, messages);
      for (const page of [100, 500]) {
        sides.set(`NATS, page ${page}`, () => fetched(fixture, direct, page));
        sides.set(`NATS behind a leaf, page ${page}`, () => fetched(fixture, leaf, page));
      }
    }
    return rowsOf(await measure(fixture, sides), version);
  },
};

/** Each side once a round, in turns. */
async function measure(
  fixture: BenchFixture,
  sides: ReadonlyMap<string, () => Promise<number>>,
): Promise<ReadonlyMap<string, Measured>> {
  const measured = new Map<string, Measured>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, run] of sides) {
      const before = processorTimeMs({ own: true });
      const rate = await run();
      const cost = ((processorTimeMs({ own: true }) - before) * 1_000) / ENTRIES;
      fixture.say(`${name}: ${Math.round(rate).toLocaleString('en')} entries/s, ${Math.round(cost)} µs an entry`);
      const { rates, costs } = measured.get(name) ?? { rates: [], costs: [] };
      measured.set(name, { rates: [...rates, rate], costs: [...costs, cost] });
    }
  return measured;
}

function rowsOf(measured: ReadonlyMap<string, Measured>, version: string | null): Row[] {
  const rateOf = (name: string): number => median(measured.get(name)?.rates ?? []);
  const reference = version === null ? rateOf('sink, limit 100') * NATS_OF_SINK : rateOf('NATS, page 100');
  const against = version === null ? 'NATS as fitted to the sink' : 'NATS, page 100';
  const targets = Object.entries(TARGETS).map(([name, atLeast]) =>
    ratioRow(`${name}, against ${against}`, 'entries/s', rateOf(name), reference, { atLeast }),
  );
  const told = [...measured].flatMap(([name, { rates, costs }]) => [
    printed(`${name}: to the durable cursor`, 'entries/s', median(rates)),
    printed(`${name}: processor time of all processes`, 'µs', median(costs)),
  ]);
  return [...targets, ...told];
}

const printed = (what: string, unit: string, measured: number): Row => ({
  ...valueRow(what, unit, measured, { atLeast: 0 }),
  target: 'printed',
});

/** The bytes of every entry as the cloud delivers it. */
async function entriesOf(fixture: BenchFixture, way: Way): Promise<Uint8Array[]> {
  const file = ledgerFile(fixture);
  await receiveAll(fixture, way, 500, ENTRIES, file);
  const db = new Database(file, { readonly: true });
  try {
    const bodies = db.prepare<[], { body: Buffer }>('SELECT body FROM raw_bundle ORDER BY cursor_from').iterate();
    return [...bodies].flatMap(({ body }) =>
      (JSON.parse(body.toString()) as { result: { entries: unknown[] } }).result.entries.map((entry) =>
        Buffer.from(JSON.stringify(entry)),
      ),
    );
  } finally {
    db.close();
  }
}

function writeAll(fixture: BenchFixture, messages: readonly Uint8Array[], page: number): number {
  const sink = openSink(ledgerFile(fixture));
  try {
    const began = performance.now();
    for (let from = 0; from < messages.length; from += page)
      sink.write(Buffer.concat(messages.slice(from, from + page)));
    return messages.length / ((performance.now() - began) / 1_000);
  } finally {
    sink.close();
  }
}

async function fetched(
  fixture: BenchFixture,
  connection: Parameters<typeof fetchAll>[0],
  page: number,
): Promise<number> {
  const sink = openSink(ledgerFile(fixture));
  try {
    return await fetchAll(connection, page, ENTRIES, sink);
  } finally {
    sink.close();
  }
}
