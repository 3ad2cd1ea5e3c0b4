import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { freePort, isAlive, startPart, TestFixture, waitFor, WaitError } from './process.ts';
import { threadsOf } from './threads.ts';

/** Writes a small script into a folder of the fixture and starts it. */
function run(
  fixture: TestFixture,
  source: string,
  env: Record<string, string | undefined> = {},
): ReturnType<TestFixture['start']> {
  const script = path.join(fixture.folder('script'), 'part.mjs');
  writeFileSync(script, source);
  return fixture.start(script, { env });
}

const LISTENS = `
  console.log('not a log line');
  console.log(JSON.stringify({ level: 30, msg: 'starting' }));
  setTimeout(() => console.log(JSON.stringify({ msg: 'listening', part: 'cloud', name: 'sync', url: 'https://127.0.0.1:1' })), 20);
  setTimeout(() => console.log(JSON.stringify({ msg: 'listening', part: 'cloud', name: 'engine', url: 'http://127.0.0.1:2' })), 40);
  const stay = setInterval(() => {}, 1000);
`;

test('finds the log lines of listeners by name, and stops gracefully', async () => {
  await using fixture = new TestFixture();
  const part = run(fixture, `${LISTENS} process.on('SIGTERM', () => { console.error('bye'); clearInterval(stay); });`);
  expect(await part.listening('engine')).toEqual({ part: 'cloud', name: 'engine', url: 'http://127.0.0.1:2' });
  expect(await part.listening('sync')).toEqual({ part: 'cloud', name: 'sync', url: 'https://127.0.0.1:1' });
  expect((await part.listening()).name).toBe('sync');
  expect(part.exit).toBeNull();
  expect(await part.stop()).toEqual({ code: 0, signal: null });
  expect(part.stdout).toContain('not a log line\n');
  expect(part.stderr).toBe('bye\n');
  expect(part.logs.map((line) => line.msg)).toEqual(['starting', 'listening', 'listening']);
});

test('reports the output of a part that ends before the awaited line', async () => {
  await using fixture = new TestFixture();
  const part = run(fixture, `console.error('CAUSEWAY_LEDGER is missing.'); process.exit(2);`);
  const failure = part.listening();
  await expect(failure).rejects.toThrow(WaitError);
  await expect(failure).rejects.toThrow(/ended \(code 2, signal null\)[^]*CAUSEWAY_LEDGER is missing/);
  expect(await part.ended()).toEqual({ code: 2, signal: null });
});

test('fails at the deadline if the line does not come', async () => {
  await using fixture = new TestFixture();
  const part = run(fixture, `console.log('here'); setInterval(() => {}, 1000);`);
  await part.output('here');
  await expect(part.logLine('the impossible', (line) => line.msg === 'never', 50)).rejects.toThrow(
    /in vain for the impossible/,
  );
});

test('a part that does not stop is killed, and the test fails', async () => {
  await using fixture = new TestFixture();
  // Its thread waits for one that never comes; a loop would wake for the signal, and be found running on a busy machine.
  const part = run(
    fixture,
    `process.on('SIGTERM', () => {});
    console.log('deaf');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`,
  );
  await part.output('deaf');
  await waitFor('its wait', () => process.platform !== 'linux' || threadsOf(part.pid).includes('MainThread: futex'));
  const failure = part.stop('SIGTERM', 50);
  await expect(failure).rejects.toThrow(WaitError);
  if (process.platform === 'linux')
    await expect(failure).rejects.toThrow(/its threads ---\n\d+ MainThread: futex\w*, S/);
  expect(part.exit).toEqual({ code: null, signal: 'SIGKILL' });
});

test.runIf(process.platform !== 'win32')('kill also ends what the part has started', async () => {
  await using fixture = new TestFixture();
  const part = run(
    fixture,
    `import { spawn } from 'node:child_process';
     const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
     console.log(JSON.stringify({ msg: 'child', pid: child.pid })); setInterval(() => {}, 1000);`,
  );
  const pid = Number((await part.logLine('the child', (line) => line.msg === 'child'))['pid']);
  expect(isAlive(pid)).toBe(true);
  await part.kill();
  await waitFor('the end of the child', () => !isAlive(pid));
});

test('a part gets only the given variables, not those of the shell that runs the tests', async () => {
  await using fixture = new TestFixture();
  process.env['CAUSEWAY_STRAY'] = 'stray';
  try {
    const part = run(
      fixture,
      `console.log(JSON.stringify({ msg: 'env', stray: process.env.CAUSEWAY_STRAY ?? null, own: process.env.CAUSEWAY_OWN }));`,
      {
        CAUSEWAY_OWN: 'own',
      },
    );
    expect(await part.logLine('env', (line) => line.msg === 'env')).toMatchObject({ stray: null, own: 'own' });
  } finally {
    delete process.env['CAUSEWAY_STRAY'];
  }
});

test('a missing program is a failure, not a hang', async () => {
  const part = startPart('part.mjs', { program: '/does/not/exist' });
  await expect(part.listening()).rejects.toThrow(/ENOENT/);
  expect(() => part.pid).toThrow(WaitError);
});

test('clear removes the folders', async () => {
  const fixture = new TestFixture();
  const folder = fixture.folder('gone');
  writeFileSync(path.join(folder, 'file'), '');
  await fixture.clear();
  expect(existsSync(folder)).toBe(false);
});

test('waitFor returns the value, and reports the last error when time is up', async () => {
  let calls = 0;
  expect(await waitFor('three calls', () => (++calls >= 3 ? calls : null), 5_000, 1)).toBe(3);
  const failing = waitFor('a miracle', () => Promise.reject(new Error('no miracle')), 20, 1);
  await expect(failing).rejects.toThrow(/a miracle; last error: Error: no miracle/);
  expect(await waitFor('zero', () => 0)).toBe(0);
});

test('a free port can be listened on', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  await new Promise((resolve) => server.close(resolve));
  expect(port).toBeGreaterThan(0);
});
