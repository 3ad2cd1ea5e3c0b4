/**
 * `npm run bench`: runs the benchmarks and prints one table; the same rows stand in
 * `artifacts/bench.json`. Exit code 1 when a target is missed or a benchmark breaks.
 *
 *   npm run bench               all of them
 *   npm run bench -- fan-out    only these
 *
 * A ratio compares with a raw limit that is measured in the same run; absolute times are about this
 * machine and its other work.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { startPostgres, type PostgresServer } from '../support/postgres.ts';
import { median, type Bench, type BenchFixture, type Row } from './bench.ts';
import { BENCHES } from './registry.ts';
import { tableOf } from './table.ts';

/** Memory of a small production server; durability off as in the tests, on both sides of every ratio. */
const SERVER_SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', checkpoint_timeout: '30min' };
const FILE = path.resolve(import.meta.dirname, '../../artifacts/bench.json');

// Parts that run end with this process, but not where a signal ends it without its exit handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** One core's time for a fixed computation, in ms: runs on machines of different speed can be read side by side. */
function fixedComputationMs(): number {
  const text = JSON.stringify(Array.from({ length: 20_000 }, (_, number) => ({ number, text: `값 ${number}` })));
  const times = Array.from({ length: 5 }, () => {
    const began = performance.now();
    for (let turn = 0; turn < 10; turn += 1)
      createHash('sha256')
        .update(JSON.stringify(JSON.parse(text)))
        .digest();
    return performance.now() - began;
  });
  return Math.round(median(times));
}

interface Told extends Row {
  bench: string;
}

async function runOne(bench: Bench, server: () => Promise<PostgresServer>): Promise<Told[]> {
  const ends: (() => unknown)[] = [];
  const fixture: BenchFixture = {
    postgres: server,
    folder: (name) => {
      const folder = mkdtempSync(path.join(tmpdir(), `causeway-bench-${name}-`));
      ends.push(() => rmSync(folder, { recursive: true, force: true }));
      return folder;
    },
    after: (end) => ends.push(end),
    say: (line) => console.log(`  ${line}`),
  };
  try {
    return (await bench.run(fixture)).map((row) => ({ bench: bench.name, ...row }));
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

async function main(names: string[]): Promise<number> {
  const unknown = names.find((name) => !BENCHES.some((bench) => bench.name === name));
  if (unknown !== undefined) {
    console.error(`There is no benchmark "${unknown}": ${BENCHES.map(({ name }) => name).join(', ')}.`);
    return 2;
  }
  const chosen = names.length === 0 ? BENCHES : BENCHES.filter(({ name }) => names.includes(name));
  const at = new Date().toISOString();
  const rows: Told[] = [];
  const broken: string[] = [];
  let starting: Promise<PostgresServer> | null = null;
  try {
    for (const bench of chosen) {
      console.log(`${bench.name}: ${bench.about}`);
      try {
        const own = await runOne(bench, () => (starting ??= startPostgres(SERVER_SETTINGS)));
        rows.push(...own);
        // An interrupted run keeps the rows measured so far.
        console.log(tableOf(own));
      } catch (error) {
        broken.push(bench.name);
        console.error(`  ${bench.name} broke:`, error);
      }
    }
  } finally {
    await (await (starting as Promise<PostgresServer> | null))?.stop();
  }
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    fixedComputationMs: fixedComputationMs(),
    load: loadavg().map((load) => Math.round(load * 100) / 100),
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  };
  mkdirSync(path.dirname(FILE), { recursive: true });
  writeFileSync(FILE, `${JSON.stringify({ at, machine, broken, rows }, null, 2)}\n`);
  console.log(`\n${tableOf(rows)}\n`);
  console.log(
    `${machine.cpu}, ${machine.cores} cores, load ${machine.load.join(' ')}: ${machine.fixedComputationMs} ms for the fixed computation`,
  );
  const missed = rows.filter(({ holds }) => !holds).length;
  console.log(
    `${rows.length - missed} of ${rows.length} rows hold${broken.length === 0 ? '' : `; broken: ${broken.join(', ')}`}`,
  );
  return missed === 0 && broken.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
