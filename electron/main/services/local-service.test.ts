/** With real child processes: small scripts that behave as a console API may. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LEDGER_EXIT_CODES, RUNS_ALREADY_EXIT_CODE } from '../../../agent/ledger/storage/errors.ts';
import {
  LocalService,
  SERVICE_TIMING,
  type ServiceCommand,
  type ServiceEvents,
  type ServiceTiming,
} from './local-service.ts';
import { timerSchedule } from './schedule.ts';
import { KeptLog } from '../../../test/support/desktop/main.ts';

interface Happening {
  name: 'starting' | 'ready' | 'elsewhere' | 'ended';
  address?: URL | null;
  reason?: string;
  words?: string;
  retryInMs?: number;
}

const PATIENCE_MS = 20_000;
const SOON: ServiceTiming = { ...SERVICE_TIMING, firstRestartMs: 10, mostRestartMs: 40 };
const END_WITH_PARENT = pathToFileURL(join(import.meta.dirname, 'end-with-parent.ts')).href;

const COMMAND: Omit<ServiceCommand, 'entry'> = {
  name: 'console',
  node: process.execPath,
  endWithParent: ['--import', END_WITH_PARENT],
  env: {},
  listen: 'CAUSEWAY_CONSOLE_LISTEN',
  ready: 'listening',
  runsElsewhere: async () => false,
};

let folder: string;
let happenings: Happening[];
let heard: (() => void) | null;
let service: LocalService | null;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-service-'));
  happenings = [];
  heard = null;
  service = null;
  lines = [];
});

afterEach(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(script: string, timing: ServiceTiming = SOON, command: Partial<ServiceCommand> = {}): LocalService {
  const entry = join(folder, 'entry.mjs');
  writeFileSync(entry, script);
  const note = (happening: Happening): void => {
    happenings.push(happening);
    heard?.();
  };
  const events: ServiceEvents = {
    said: (line) => void lines.push(line),
    starting: () => note({ name: 'starting' }),
    ready: (address) => note({ name: 'ready', address }),
    elsewhere: () => note({ name: 'elsewhere' }),
    ended: (how) => note({ name: 'ended', ...how }),
  };
  service = new LocalService({ ...COMMAND, entry, ...command }, events, new KeptLog(), timerSchedule, timing);
  service.start();
  return service;
}

/** Waits for the `count`th event of a name. */
async function happened(name: Happening['name'], count = 1): Promise<Happening> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new Error(`no ${name} number ${count}: ${JSON.stringify(happenings)}`)),
      PATIENCE_MS,
    );
    const look = (): void => {
      const found = happenings.filter((one) => one.name === name)[count - 1];
      if (found === undefined) return;
      clearTimeout(limit);
      heard = null;
      resolve(found);
    };
    heard = look;
    look();
  });
}

/** A server that logs `listening` as the parts do, and prints its arguments. */
const SERVER = `
  import http from 'node:http';
  const [host, port] = process.env.CAUSEWAY_CONSOLE_LISTEN.split(':');
  const server = http.createServer((request, response) => {
    if (request.url === '/die') process.exit(3);
    response.end(JSON.stringify({ pid: process.pid, names: Object.keys(process.env) }));
  });
  process.on('SIGTERM', () => server.close(() => process.exit(0)));
  console.log('not a log line');
  server.listen(Number(port), host, () => {
    console.log(JSON.stringify({ level: 30, part: 'console-api', name: 'console', url: 'http://127.0.0.1:' + server.address().port, msg: 'listening' }));
  });
`;

async function ask(address: URL, path = '/'): Promise<{ pid: number; names: string[] }> {
  return (await (await fetch(new URL(path, address))).json()) as { pid: number; names: string[] };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a console API that works', () => {
  test('is ready when it says so, and stops gracefully', async () => {
    start(SERVER);
    const { address } = await happened('ready');
    const { pid } = await ask(address as URL);
    await service?.stop();
    expect(isAlive(pid)).toBe(false);
    expect(happenings.map(({ name }) => name)).toEqual(['starting', 'ready']);
    expect(lines[0]).toBe('not a log line');
  });

  test('gets its own environment and nothing of this process', async () => {
    start(SERVER, SOON, { env: { CAUSEWAY_LEDGER: 'x.db' } });
    const { address } = await happened('ready');
    const { names } = await ask(address as URL);
    expect(names.filter((name) => !name.startsWith('__')).sort()).toEqual([
      'CAUSEWAY_CONSOLE_LISTEN',
      'CAUSEWAY_LEDGER',
    ]);
  });

  test('is started again on the same port when it dies', async () => {
    start(SERVER);
    const first = await happened('ready');
    const { pid } = await ask(first.address as URL);
    process.kill(pid, 'SIGKILL');
    const end = await happened('ended');
    expect(end.reason).toBe('signal SIGKILL');
    const second = await happened('ready', 2);
    expect(second.address?.href).toBe(first.address?.href);
    expect((await ask(second.address as URL)).pid).not.toBe(pid);
  });
});

describe('a console API that does not work', () => {
  test('is retried with growing pauses, and its own messages are reported', async () => {
    start(`process.stderr.write('The ledger comes from a newer version.\\n'); process.exitCode = 1;`);
    await happened('ended', 4);
    const ends = happenings.filter(({ name }) => name === 'ended').slice(0, 4);
    expect(ends.map(({ retryInMs }) => retryInMs)).toEqual([10, 20, 40, 40]);
    for (const end of ends)
      expect(end).toMatchObject({ reason: 'exit code 1', words: 'The ledger comes from a newer version.' });
  });

  test('a person can retry at once', async () => {
    const started = start('process.exitCode = 1;', { ...SOON, firstRestartMs: 1_000_000, mostRestartMs: 1_000_000 });
    await happened('ended');
    started.start();
    await happened('ended', 2);
  });

  test('is ended when it never reports that it listens', async () => {
    start('setInterval(() => undefined, 1_000);', { ...SOON, startMs: 300 });
    expect((await happened('ended')).reason).toContain('did not say that it works within 0.3 s');
  });

  test('reports the fault of its ledger by its exit code', async () => {
    start(`process.exitCode = ${LEDGER_EXIT_CODES.locked};`);
    expect(await happened('ended')).toMatchObject({ reason: 'exit code 72', ledger: 'locked' });
  });

  test('an address outside this machine is refused', async () => {
    start(
      `console.log(JSON.stringify({ msg: 'listening', url: 'http://console.firm.example:80' }));
       console.log(JSON.stringify({ msg: 'listening', url: 'file:///etc/passwd' }));
       process.exitCode = 5;`,
    );
    expect(await happened('ended')).toMatchObject({ reason: 'exit code 5', ledger: null });
    expect(lines).toHaveLength(2);
    expect(happenings.some(({ name }) => name === 'ready')).toBe(false);
  });

  test('a program that cannot be started is reported like any other end', async () => {
    const nothing = (): void => undefined;
    const events: ServiceEvents = {
      said: nothing,
      starting: nothing,
      ready: nothing,
      elsewhere: nothing,
      ended: (how) => void happenings.push({ name: 'ended', ...how }),
    };
    service = new LocalService(
      { ...COMMAND, node: join(folder, 'no-node'), entry: 'x' },
      events,
      new KeptLog(),
      timerSchedule,
      SOON,
    );
    service.start();
    await expect.poll(() => happenings.length, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    expect(happenings[0]?.reason).toContain('ENOENT');
  });

  test('that ignores SIGTERM is killed', async () => {
    const stubborn = `process.on('SIGTERM', () => undefined); ${SERVER.replace(/process\.on\('SIGTERM'.*\n/, '')}`;
    start(stubborn, { ...SOON, stopMs: 300 });
    const { address } = await happened('ready');
    const { pid } = await ask(address as URL);
    await service?.stop();
    expect(isAlive(pid)).toBe(false);
  });
});

describe('a service that may already be running', () => {
  const OFTEN: ServiceTiming = { ...SOON, elsewhereMs: 20 };
  const READY = `console.log(JSON.stringify({ msg: 'ready' })); process.on('SIGTERM', () => process.exit(0)); setInterval(() => undefined, 1_000);`;

  test('is not started beside the other, and takes over when that one has ended', async () => {
    const answers = [true, true, false];
    start(READY, OFTEN, {
      name: 'intake',
      listen: null,
      ready: 'ready',
      runsElsewhere: async () => answers.shift() ?? false,
    });
    expect((await happened('ready')).address).toBeNull();
    expect(happenings.map(({ name }) => name)).toEqual(['elsewhere', 'elsewhere', 'starting', 'ready']);
  });

  test('that finds the other by itself reports it by exit code, which is no failure', async () => {
    start(`process.exitCode = ${RUNS_ALREADY_EXIT_CODE};`, OFTEN, { listen: null });
    await happened('elsewhere', 2);
    expect(happenings.some(({ name }) => name === 'ended')).toBe(false);
  });

  test('that is stopped during the check is never started', async () => {
    let answer = (_runs: boolean): void => undefined;
    start(READY, OFTEN, {
      runsElsewhere: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    await service?.stop();
    answer(false);
    await Promise.resolve();
    expect(happenings).toEqual([]);
  });
});
