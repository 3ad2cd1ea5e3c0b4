/**
 * A stop (D40) beside connections that nobody will end: one that has sent nothing, as that of a port scan or of a caller
 * behind a line that fell silent, one with half a request, and one that waits for its next request. And a stop right after
 * a start, when the engine compiles, and where a unit hides the machine.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bundleParts } from '../../support/bundles.ts';
import { TestFixture, type Part } from '../../support/process.ts';
import { some } from '../../support/runs.ts';
import { cloudForProcesses, type TestCloud } from '../machine/process-fixture.ts';

const fixture = new TestFixture();
let made: TestCloud;
let bundles: string;
let env: Record<string, string>;
const sockets: Socket[] = [];
beforeAll(async () => {
  bundles = await bundleParts();
  made = await cloudForProcesses(fixture);
  const folder = fixture.folder('stop');
  env = {
    ...made.relay,
    ...made.intake,
    CAUSEWAY_DEMO: '1',
    CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_INTAKE_METRICS_LISTEN: '127.0.0.1:0',
    CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
    CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
    CAUSEWAY_CONSOLE_METRICS_LISTEN: '127.0.0.1:0',
    CAUSEWAY_CONSOLE_PAGES: folder,
  };
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await fixture.clear();
  await made.cloud.close();
});

async function sending(part: Part, listener: string, text: string): Promise<Socket> {
  const { port } = new URL((await part.listening(listener)).url);
  const socket = connect(Number(port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const REQUEST = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n';

/** The parts end by one and the same code. */
const LISTENING: [string, string[]][] = [
  ['agent/relay', ['relay']],
  ['agent/provision', ['provision']],
  ['electron/console-api', ['console', 'metrics']],
];

test.each(some(1, LISTENING))('%s ends within its time', async (script, listeners) => {
  const part = fixture.start(path.join(bundles, script, 'main.js'), { env });
  for (const listener of listeners) {
    await sending(part, listener, '');
    await sending(part, listener, REQUEST);
    const [answer] = (await once(await sending(part, listener, `${REQUEST}\r\n`), 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 \d+/);
  }
  expect(await part.stop('SIGTERM', 10_000)).toEqual({ code: 0, signal: null });
});

/** As `ProcSubset=pid` of the parts' own units does: nothing of the kernel is to be read. */
const HIDDEN = 'mount -t proc -o subset=pid proc /proc && exec "$0" "$@"';
const mayHide = spawnSync('unshare', ['-m', 'sh', '-c', HIDDEN, 'true']).status === 0;

test.skipIf(!mayHide).each(some(1, ['agent/relay', 'agent/intake', 'agent/provision', 'electron/console-api']))(
  '%s starts and ends where its unit hides the kernel',
  async (script) => {
    const args = ['sh', '-c', HIDDEN, process.execPath, path.join(bundles, script, 'main.js')];
    const part = fixture.start('-m', { program: 'unshare', args, env });
    await part.listening();
    expect(await part.stop('SIGTERM', 10_000)).toEqual({ code: 0, signal: null });
    expect(part.stdout).not.toMatch(/"level":(?:40|50|60),.*ENOENT/);
  },
);

/** Threads that work for the engine allocate all the time, in a small heap: they wait for its collections again and again. */
const BUSY_ENGINE = ['--stress-concurrent-allocation', '--stress-concurrent-inlining', '--max-old-space-size=80'];

// The console API twice: when it ended by `process.exit`, three stops in ten came to an end all the same.
test.each(some(1, ['agent/relay', 'agent/provision', 'electron/console-api', 'electron/console-api']))(
  '%s ends although threads of the engine wait for the one that ends',
  async (script) => {
    const [flag = '', ...flags] = BUSY_ENGINE;
    const args = [...flags, path.join(bundles, script, 'main.js')];
    const part = fixture.start(flag, { program: process.execPath, args, env });
    await part.listening();
    expect(await part.stop('SIGTERM', 10_000)).toEqual({ code: 0, signal: null });
  },
);
