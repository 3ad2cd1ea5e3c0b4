/**
 * Faults 13 to 15 and 28: Intake and relay are ended by SIGKILL at random moments of an endless drain, again and again;
 * then the ledger is compared with the cloud. The moments come from the printed seed; the machine's timing is not
 * repeatable.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort, waitFor, type Part } from '../../support/process.ts';
import { newSeed, runs } from '../../support/runs.ts';
import { onWire } from '../../support/scripted-cloud.ts';
import { appliedCursor, checkCopy, drained, growing, intakeEnv, processes, verify } from './process-fixture.ts';
import { checkCaughtUp } from '../invariants.ts';
import { Seeded } from '../../support/seeded.ts';

const SEED = newSeed();
/** Kills of the Intake in a lane, of it and of the relay at once, and of two relays. */
const [ALONE, BOTH, RELAYS] = [runs(5, 100), runs(3, 60), runs(2, 16)];
const LANES = [1, 2].slice(0, runs(1, 2));
/** A check follows every so many kills. */
const CHECKED = 5;

const run = processes();

/**
 * Ends a process at a random moment: sometimes during its start, otherwise shortly after it has logged one of these
 * words.
 */
async function killSometime(part: Part, words: readonly string[], random: Seeded): Promise<void> {
  if (random.chance(0.15)) {
    await delay(random.below(150));
  } else {
    const word = random.pick(words);
    await part.logLine(word, (line) => line.msg === word);
    await delay(random.below(80));
  }
  expect(part.exit, part.stderr).toBeNull();
  await part.kill();
}

/** Every value of `after`: a cursor that was sent to the cloud is never taken back. */
function expectNeverBack(asked: readonly number[]): void {
  const back = asked.findIndex((after, index) => after < (asked[index - 1] ?? 0));
  expect(back, `pull ${back} asks before an earlier one`).toBe(-1);
}

test.concurrent.each(LANES)('28: the Intake, again and again (lane %d)', async (lane) => {
  const random = new Seeded(SEED + lane);
  const { cloud, intake } = await run.newCloud();
  const folder = run.fixture.folder(`lane-${lane}`);
  const file = path.join(folder, 'ledger.sqlite');
  const env = { ...intakeEnv(file), ...intake };
  let more = true;
  growing(cloud, SEED + lane, () => more);
  let committed = 0;
  for (let kill = 1; kill <= ALONE; kill++) {
    const intake = run.services.start('intake', { env });
    const isChecked = kill % CHECKED === 0;
    // A life before a check commits something, so that the check may ask for it.
    if (isChecked) await intake.logLine('a commit', (line) => line.msg === 'bundle committed');
    await killSometime(intake, isChecked ? ['ready'] : ['ready', 'bundle committed', 'bundle committed'], random);
    if (!isChecked) continue;
    const copies = path.join(folder, 'copies');
    mkdirSync(copies);
    const now = checkCopy(file, copies, cloud);
    rmSync(copies, { recursive: true });
    expect(now, 'it gets on between the kills').toBeGreaterThan(committed);
    committed = now;
  }
  more = false;
  const last = run.services.start('intake', { env });
  expect(await drained(last, file, cloud)).toEqual({ code: 0, signal: null });
  checkCaughtUp(file, cloud);
  expect(await verify(run.services, file)).toMatchObject({ code: 0 });
  expectNeverBack(cloud.asked);
});

test('14, 28: relay and Intake at once, again and again', async () => {
  const random = new Seeded(SEED + 3);
  const made = await run.newCloud();
  const { cloud } = made;
  const port = await freePort();
  const relayEnv = { ...made.relay, CAUSEWAY_RELAY_LISTEN: `127.0.0.1:${port}` };
  const file = path.join(run.fixture.folder('both'), 'ledger.sqlite');
  const env = { ...intakeEnv(file), CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${port}` };
  let more = true;
  growing(cloud, SEED, () => more);
  const furthest = (): number => Math.max(0, ...cloud.asked);
  let ended = 0;
  /** Every fifth life is long enough for a bundle, however slow the machine is; but no life waits once a service has ended. */
  const killed = async (name: 'relay' | 'intake', word: string, moments: Seeded): Promise<void> => {
    for (let kill = 0; kill < BOTH; kill++) {
      const reached = furthest();
      const part = run.services.start(name, { env: name === 'relay' ? relayEnv : env });
      if (kill % 5 === 0) await waitFor('a bundle to be committed', () => furthest() > reached || ended > 0, 60_000);
      await killSometime(part, [word], moments);
    }
    ended += 1;
  };
  await Promise.all([
    killed('relay', 'listening', new Seeded(random.below(2 ** 31))),
    killed('intake', 'ready', new Seeded(random.below(2 ** 31))),
  ]);
  more = false;
  const relay = run.services.start('relay', { env: relayEnv });
  await relay.listening('relay');
  const last = run.services.start('intake', { env });
  try {
    expect(await drained(last, file, cloud)).toEqual({ code: 0, signal: null });
  } finally {
    await relay.stop();
  }
  expect(checkCaughtUp(file, cloud).committed, 'something was received between the kills').toBeGreaterThan(0);
  expectNeverBack(cloud.asked);
});

test('14, 15: two relays for one tenant, each killed again and again in the middle of bodies: the Intake gets on with the other', async () => {
  const random = new Seeded(SEED + 4);
  const made = await run.newCloud();
  const { cloud } = made;
  const ports = [await freePort(), await freePort()];
  const relays = ports.map((port) => run.services.start('relay', { env: relayAt(port) }));
  function relayAt(port: number): Record<string, string> {
    return { ...made.relay, CAUSEWAY_RELAY_LISTEN: `127.0.0.1:${port}` };
  }
  for (const relay of relays) await relay.listening('relay');
  const balancer = await balance(ports);
  const file = path.join(run.fixture.folder('two-relays'), 'ledger.sqlite');
  const env = { ...intakeEnv(file), CAUSEWAY_INTAKE_UPSTREAM: balancer.url };
  let more = true;
  growing(cloud, SEED + 5, () => more);
  // Some answers take a while, so that a kill meets them half-way.
  const honestly = cloud.misbehave;
  cloud.misbehave = (situation) => {
    honestly?.(situation);
    const { body, headers } = situation.honest();
    return random.chance(0.1) ? { ...onWire(body, { headers }), drip: { bytes: 500, everyMs: 5 } } : null;
  };
  const intake = run.services.start('intake', { env });
  try {
    await intake.logLine('ready', (line) => line.msg === 'ready');
    for (let kill = 0; kill < RELAYS; kill++) {
      const reached = appliedCursor(file);
      const one = kill % 2;
      await delay(random.below(200));
      await relays[one]?.kill();
      await waitFor('the Intake to get on', () => appliedCursor(file) > reached);
      const again = run.services.start('relay', { env: relayAt(ports[one] ?? 0) });
      relays[one] = again;
      await again.listening('relay');
    }
    more = false;
    expect(await drained(intake, file, cloud)).toEqual({ code: 0, signal: null });
  } finally {
    await intake.kill();
    for (const relay of relays) await relay.kill();
    await balancer.close();
  }
  checkCaughtUp(file, cloud);
  expectNeverBack(cloud.asked);
});

/** Gives each new connection to the next port, or to the one after it where no server listens. */
async function balance(ports: readonly number[]): Promise<{ url: string; close(): Promise<void> }> {
  let turn = 0;
  const open = new Set<{ destroy(): void }>();
  const server = createServer((near) => {
    const join = (tries: number): void => {
      const far = connect(ports[turn++ % ports.length] ?? 0, '127.0.0.1');
      open.add(far);
      let joined = false;
      far.once('connect', () => {
        joined = true;
        near.pipe(far).pipe(near);
      });
      far.on('error', () => (joined || tries > 1 ? near.destroy() : join(tries + 1)));
      far.once('close', () => open.delete(far));
      far.once('end', () => near.destroy());
      near.once('close', () => far.destroy());
    };
    open.add(near);
    near.on('error', () => undefined).once('close', () => open.delete(near));
    join(1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
