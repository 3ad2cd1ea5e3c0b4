import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));
const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
});

interface Run {
  child: ChildProcess;
  out(): string;
  err(): string;
  ended: Promise<number | null>;
}

function start(args: string[], env: Record<string, string>): Run {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return { child, out: () => out, err: () => err, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** A port of this machine without a listener. */
async function deadPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const whole = async (): Promise<Record<string, string>> => {
  const url = `http://127.0.0.1:${await deadPort()}`;
  return {
    CAUSEWAY_ENGINE_URL: url,
    CAUSEWAY_ENGINE_TOKEN: 'token',
    CAUSEWAY_OPERATOR_URL: url,
    CAUSEWAY_OPERATOR_USERNAME: 'operator',
    CAUSEWAY_OPERATOR_PASSWORD: 'causeway-demo',
  };
};

describe('node cloud/demo/main.ts', () => {
  test('--help names every variable and ends with 0', async () => {
    const run = start(['--help'], {});
    expect(await run.ended).toBe(0);
    for (const name of [...Object.keys(await whole()), 'CAUSEWAY_DEMO_PACE_SECONDS']) expect(run.out()).toContain(name);
  });

  test('missing and wrong variables get a sentence each, and 2', async () => {
    const run = start([], { CAUSEWAY_ENGINE_URL: 'nowhere', CAUSEWAY_DEMO_PACE_SECONDS: '0' });
    expect(await run.ended).toBe(2);
    expect(run.err()).toMatch(/^CAUSEWAY_ENGINE_URL must be a web address/m);
    expect(run.err()).toMatch(/^CAUSEWAY_ENGINE_TOKEN is missing/m);
    expect(run.err()).toMatch(/^CAUSEWAY_DEMO_PACE_SECONDS must be a whole number/m);
    expect(run.out()).toBe('');
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with 0 while the cloud is down', async (signal) => {
    const run = start([], await whole());
    await expect.poll(() => run.out(), { timeout: 20_000 }).toContain('the cloud cannot be reached, trying again');
    run.child.kill(signal);
    expect(await run.ended).toBe(0);
    const lines = run
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { part: string; msg: string });
    expect(lines.every((line) => line.part === 'demo')).toBe(true);
    expect(lines.at(-1)?.msg).toBe('demo ends');
    expect(run.err()).toBe('');
  });
});
