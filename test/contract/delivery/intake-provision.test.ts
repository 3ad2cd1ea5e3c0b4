/** Start and end of Intake and provision as processes: each fault is one clear sentence and an exit code. */
import Database from 'better-sqlite3';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { LEDGER_EXIT_CODES } from '../../../agent/ledger/storage/errors.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { syncStatus } from '../../../agent/ledger/inbox/sync-state.ts';
import { TestFixture, waitFor, type Exit } from '../../support/process.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const INTAKE = 'agent/intake/main.ts';
const PROVISION = 'agent/provision/main.ts';
const REFUSED_UPSTREAM = 'http://127.0.0.1:9';

/** Runs a part that must not continue; returns its exit code and output. */
async function fail(
  script: string,
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ exit: Exit; said: string }> {
  const part = fixture.start(script, { env, args });
  return { exit: await part.ended(), said: part.stderr };
}
const good = (script: string, ledger: string): Record<string, string> => ({
  CAUSEWAY_LEDGER: ledger,
  ...(script === INTAKE
    ? { CAUSEWAY_INTAKE_UPSTREAM: REFUSED_UPSTREAM, CAUSEWAY_INTAKE_POLL_SECONDS: '1' }
    : { CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0' }),
});

describe.each([INTAKE, PROVISION])('%s', (script) => {
  test('--help lists the variables', async () => {
    const part = fixture.start(script, { args: ['--help'] });
    expect(await part.ended()).toEqual({ code: 0, signal: null });
    for (const name of Object.keys(good(script, ''))) expect(part.stdout).toContain(name);
  });

  test('a missing variable and an unknown argument are reported', async () => {
    expect(await fail(script, {})).toEqual({
      exit: { code: 2, signal: null },
      said: expect.stringContaining('CAUSEWAY_LEDGER is missing') as string,
    });
    expect(await fail(script, {}, ['--port=1'])).toEqual({
      exit: { code: 2, signal: null },
      said: expect.stringContaining('Unknown argument "--port=1"') as string,
    });
  });

  test('a ledger of a newer version is left as it is', async () => {
    const file = path.join(fixture.folder('newer'), 'ledger.sqlite');
    const newer = new Database(file);
    newer.pragma('journal_mode = WAL');
    newer.pragma('user_version = 999');
    newer.close();
    const before = readFileSync(file);
    const { exit, said } = await fail(script, good(script, file));
    expect(exit).toEqual({ code: LEDGER_EXIT_CODES['too-new'], signal: null });
    expect(said).toMatch(/^The ledger .*ledger\.sqlite has schema version 999, .* Nothing was changed\.\n$/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a file that is no ledger, and a folder that is not there', async () => {
    const folder = fixture.folder('damaged');
    const file = path.join(folder, 'ledger.sqlite');
    writeFileSync(file, 'this is no database, only text '.repeat(100));
    expect(await fail(script, good(script, file))).toMatchObject({
      exit: { code: LEDGER_EXIT_CODES.damaged },
      said: expect.stringMatching(/is damaged or is not a ledger/) as string,
    });
    const nowhere = path.join(folder, 'none', 'ledger.sqlite');
    expect(await fail(script, good(script, nowhere))).toMatchObject({
      exit: { code: LEDGER_EXIT_CODES.unreachable },
      said: expect.stringMatching(/cannot be opened for writing/) as string,
    });
    expect(existsSync(path.dirname(nowhere))).toBe(false);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s stops it in good order', async (signal) => {
    const file = path.join(fixture.folder('stop'), 'ledger.sqlite');
    const part = fixture.start(script, { env: good(script, file) });
    await part.logLine('its readiness', (line) => line.msg === 'ready' || line.msg === 'listening');
    expect(await part.stop(signal)).toEqual({ code: 0, signal: null });
    // The last connection that closes takes the write-ahead log away.
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(part.stderr).toBe('');
  });
});

describe('the Intake', () => {
  test('stops at once in the middle of a pull', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const asked = once(server, 'request');
    const env = {
      ...good(INTAKE, path.join(fixture.folder('pull'), 'ledger.sqlite')),
      CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    const part = fixture.start(INTAKE, { env });
    await asked;
    expect(await part.stop()).toEqual({ code: 0, signal: null });
    server.closeAllConnections();
    server.close();
  });

  test('continues by itself after a lock on the ledger', async () => {
    const file = path.join(fixture.folder('locked'), 'ledger.sqlite');
    openLedger(file).close();
    let polls = 0;
    const server = createServer((_, response) => {
      polls++;
      response.end('{"isSuccess":true,"code":"COMMON200","message":"OK"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const part = fixture.start(INTAKE, {
      env: {
        ...good(INTAKE, file),
        CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      },
    });
    await waitFor('a poll', () => polls > 0);
    const holder = new Database(file);
    holder.exec('BEGIN IMMEDIATE');
    await part.logLine(
      'the lock',
      (line) => line.level === 50 && JSON.stringify(line).includes('is locked by another program'),
    );
    holder.exec('ROLLBACK');
    holder.close();
    const before = polls;
    const ledger = openLedger(file);
    await waitFor('another good poll', () => polls > before && syncStatus(ledger, new Date()).state === 'OK');
    ledger.close();
    await part.stop();
    server.closeAllConnections();
    server.close();
  });
});

describe('the provision API', () => {
  test('names the address that is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = {
      ...good(PROVISION, path.join(fixture.folder('busy'), 'ledger.sqlite')),
      CAUSEWAY_PROVISION_LISTEN: `127.0.0.1:${port}`,
    };
    expect(await fail(PROVISION, env)).toEqual({
      exit: { code: 1, signal: null },
      said: `The address 127.0.0.1:${port} in CAUSEWAY_PROVISION_LISTEN is in use by another program: end that program, or give another address (port 0 takes a free one).\n`,
    });
    server.close();
  });
});
