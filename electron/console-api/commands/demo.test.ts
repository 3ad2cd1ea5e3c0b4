/** A demo's ledger cannot be used in production until its accounts and keys are real (D63): as processes, and its command in this one. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { verifyChain } from '../../../agent/ledger/audit/audit.ts';
import { registerMember } from '../../../agent/ledger/accounts/member-changes.ts';
import { DEMO_COLLEAGUES, DEMO_PASSWORD, seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { UNTOLD } from '../../../shared/service/long-work/progress.ts';
import { cheapHash } from '../../../test/support/shared/accounts.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import type { DemoOffer } from '../../../shared/wire/sign-in.ts';
import { TestFixture } from '../../../test/support/process.ts';
import { runDemoCommand } from './demo.ts';

const CONSOLE = 'electron/console-api/main.ts';
const PROVISION = 'agent/provision/main.ts';

let fixture: TestFixture;
let file: string;
let env: Record<string, string>;
beforeEach(() => {
  fixture = new TestFixture();
  file = path.join(fixture.folder('ledger'), 'ledger.sqlite');
  env = {
    CAUSEWAY_LEDGER: file,
    CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0',
    CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0',
  };
});
afterEach(() => fixture.clear());

function seed(): void {
  const ledger = openLedger(file);
  seedDemo(ledger, systemClock, systemIds, cheapHash);
  ledger.close();
}

interface Ran {
  code: number | null;
  stdout: string;
}
async function runProcess(...args: string[]): Promise<Ran> {
  const process = fixture.start(CONSOLE, { env, args });
  const { code } = await process.ended();
  return { code, stdout: process.stdout };
}
async function runHere(...args: string[]): Promise<Ran> {
  let stdout = '';
  const print = (line: string): void => void (stdout += `${line}\n`);
  const complain = (): void => undefined;
  const code = await runDemoCommand(args, { env, clock: systemClock, print, complain, progress: UNTOLD });
  return { code, stdout };
}

const logIn = async (url: string, username: string, password: string): Promise<number> =>
  (
    await fetch(`${url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    })
  ).status;

/** What the page offers: accounts to log in with, without a password of one's own, and the rest of the demo (D231); null outside of one. */
async function offered(url: string): Promise<{ usernames: string[]; tour: DemoOffer['tour'] } | null> {
  const page = await (await fetch(url)).text();
  const told = /<meta name="demo-offer" content="([^"]*)">/.exec(page)?.[1]?.replaceAll('&#34;', '"');
  expect(page.includes(DEMO_PASSWORD)).toBe(told !== undefined);
  if (told === undefined) return null;
  const { accounts, tour } = JSON.parse(told) as DemoOffer;
  return { usernames: accounts.map(({ username }) => username), tour };
}

/** A colleague registered by the administrator of a demo with a past (D134). */
function seedColleague(): void {
  const ledger = openLedger(file);
  const [colleague] = DEMO_COLLEAGUES;
  if (colleague === undefined) throw new Error('a demo has no colleagues');
  const passwordHash = cheapHash(DEMO_PASSWORD);
  const at = systemClock.now().toISOString();
  const actor = { kind: 'SYSTEM' } as const;
  ledger.write((tx) => registerMember(tx, { ...colleague, id: systemIds.uuid(), passwordHash, actor, at }));
  ledger.close();
}

test('without the demo switch neither console nor provision start on it, and one sentence says what to do', async () => {
  seed();
  for (const script of [CONSOLE, PROVISION]) {
    const process = fixture.start(script, { env });
    expect(await process.ended()).toEqual({ code: 2, signal: null });
    expect(process.stderr.trim().split('\n').at(-1)).toMatch(
      /has the accounts admin, reviewer, operator, viewer and the channel keys of MTS, HTS, WEB from a demo: run "npm run console-api -- demo end.*CAUSEWAY_DEMO=1/,
    );
  }
});

test('"demo end" makes it a production ledger', async () => {
  seed();
  seedColleague();
  const pages = fixture.folder('pages');
  writeFileSync(path.join(pages, 'index.html'), '<html><head></head></html>');
  env = { ...env, CAUSEWAY_CONSOLE_PAGES: pages };
  const around = {
    CAUSEWAY_CONSOLE_DEMO_OPERATOR: 'http://127.0.0.1:4100',
    CAUSEWAY_CONSOLE_DEMO_CHANNEL: 'http://127.0.0.1:4320',
    CAUSEWAY_CONSOLE_DEMO_REPLAYED: '2026-11-27',
  };
  const demo = fixture.start(CONSOLE, { env: { ...env, ...around, CAUSEWAY_DEMO: '1' } });
  const during = await demo.listening('console');
  expect(await offered(during.url)).toEqual({
    usernames: ['admin', 'reviewer', 'operator', 'viewer', 'jiwoo.han'],
    tour: {
      id: expect.any(String) as string,
      operatorConsole: 'http://127.0.0.1:4100/',
      channelPage: 'http://127.0.0.1:4320/',
      replayedDate: '2026-11-27',
    },
  });
  const answer = await fetch(`${during.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'causeway-demo' }),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await demo.stop();

  const { code, stdout } = await runProcess('demo', 'end');
  expect(code).toBe(0);
  const given = new Map([...stdout.matchAll(/^([\w.]+) ([\w-]{20})$/gm)].map(([, name, word]) => [name, word ?? '']));
  expect([...given.keys()]).toEqual(['admin', 'reviewer', 'operator', 'viewer', 'jiwoo.han']);
  expect(new Set(given.values()).size).toBe(5);
  expect(stdout).toMatch(/Revoked: the demo keys of MTS, HTS, WEB\./);

  const { url } = await fixture.start(CONSOLE, { env }).listening('console');
  expect(await offered(url)).toBeNull();
  expect((await fetch(`${url}/api/v1/session`, { headers: { cookie } })).status).toBe(401);
  expect(await logIn(url, 'reviewer', 'causeway-demo')).toBe(401);
  expect(await logIn(url, 'reviewer', given.get('reviewer') ?? '')).toBe(200);
  const provision = await fixture.start(PROVISION, { env }).listening('provision');
  const asked = await fetch(`${provision.url}/v1/explanations/069500`, {
    headers: { authorization: 'Bearer demo-mts' },
  });
  expect(asked.status).toBe(401);

  const ledger = openLedger(file);
  const log = ledger.all(sqlite.selectFrom('console_action_log').selectAll());
  expect(log.map(({ action }) => action)).toEqual(expect.arrayContaining(['demo.end', 'channel.key']));
  for (const password of given.values()) expect(JSON.stringify(log)).not.toContain(password);
  expect(verifyChain(ledger).ok).toBe(true);
  ledger.close();
  expect((await runHere('end')).stdout).toBe('Nothing of a demo is open in this ledger.\n');
});

test.each([
  [[], 2],
  [['start'], 2],
  [['end', 'now'], 2],
  [['end'], 1],
] as const)('"demo" with %j on a ledger that is not there is refused with %i', async (args, code) => {
  expect(await runHere(...args)).toEqual({ code, stdout: '' });
});
test('a process ends with the code of its command', async () => {
  expect(await runProcess('demo', 'end')).toEqual({ code: 1, stdout: '' });
});
