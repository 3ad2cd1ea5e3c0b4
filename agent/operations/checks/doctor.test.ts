/** The doctor: a healthy part, then one fault at a time, each reported with its remedy. */
import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, makeAuthority, writePair, writeWhole, type Authority } from '../../../test/support/pki.ts';
import { makeVendorKey, pemOf, stating } from '../../../test/support/vendor-key.ts';
import { addBackup } from '../../intake/backup/backups.ts';
import { openLedger } from '../../ledger/storage/ledger.ts';
import { lockMaintenance } from '../../ledger/storage/single-writer-lock.ts';
import { recordPull, recordPullFailure, syncStatus } from '../../ledger/inbox/sync-state.ts';
import { startCloud, startProxy, wholly, type ScriptedCloud } from '../../../test/support/agent/relay.ts';
import { PRODUCT_VERSION } from '../../../shared/wire/version.ts';
import { runAgent } from '../agent.ts';
import { besidePart } from '../../../test/support/agent/part.ts';
import { checkBackup, checkConsoleApi, checkIntake, checkProvision } from './internal-checks.ts';
import { checkRelay } from './relay-checks.ts';
import { checkNamedFile } from './check-files.ts';
import { checkLedger, checkReception } from './check-ledger.ts';

const HELD = {
  relay: checkRelay,
  intake: checkIntake,
  provision: checkProvision,
  'console-api': checkConsoleApi,
  backup: checkBackup,
};
const NOTHING_NEW = JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK' });
const FAR = 365 * DAY_MS;

let authority: Authority;
let cloud: ScriptedCloud;
let folder: string;
let env: Record<string, string>;
let said: string[];

beforeAll(async () => {
  authority = await makeAuthority();
  const { cert, key } = await authority.server({ to: FAR, hosts: ['127.0.0.1', 'cloud.example'] });
  cloud = await startCloud({ cert, key, ca: authority.ca, minVersion: 'TLSv1.2' });
});
afterAll(() => cloud.close());
beforeEach(() => {
  cloud.script = wholly(NOTHING_NEW);
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-doctor-'));
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function doctor(part: string, own = '/nowhere/causeway-agent.js'): Promise<number> {
  const file = path.join(folder, 'settings.env');
  writeFileSync(
    file,
    Object.entries(env)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  return runAgent(['doctor', part, '--env', file], HELD, {
    env: process.env,
    platform: 'linux',
    own,
    now: () => new Date(),
    print: (line) => said.push(line),
    complain: (line) => said.push(line),
  });
}
/** The lines that require an action, each with its remedy. */
const asked = (): string => said.filter((line) => /^(?:WRONG|WARN| +do:)/.test(line)).join('\n');

describe('relay', () => {
  beforeEach(async () => {
    const files = writePair(folder, 'relay', await authority.client());
    env = {
      CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
      CAUSEWAY_RELAY_UPSTREAM: cloud.url,
      CAUSEWAY_RELAY_CERT: files.cert,
      CAUSEWAY_RELAY_KEY: files.key,
      CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', authority.ca),
    };
  });

  test('a sound relay', async () => {
    expect({ code: await doctor('relay'), asked: asked(), last: said.at(-1) }).toEqual({
      code: 0,
      asked: '',
      last: 'Nothing is wrong.',
    });
    expect(said.join('\n')).toContain('cloud: The cloud answers and knows the certificate.');
  });

  test('a variable is missing', async () => {
    delete env['CAUSEWAY_RELAY_UPSTREAM'];
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toContain('CAUSEWAY_RELAY_UPSTREAM is missing');
  });

  test('a name is misspelt', async () => {
    env['CAUSEWAY_RELAY_CONECT_MS'] = '5';
    expect(await doctor('relay', besidePart(folder, 'relay'))).toBe(0);
    expect(asked()).toContain('WARN   settings: relay knows no CAUSEWAY_RELAY_CONECT_MS');
  });

  test('a file is missing', async () => {
    rmSync(env['CAUSEWAY_RELAY_KEY'] ?? '');
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toMatch(/^WRONG +CAUSEWAY_RELAY_KEY \(.*relay.key\): there is no such file/);
  });

  test('others may read the key', async () => {
    chmodSync(env['CAUSEWAY_RELAY_KEY'] ?? '', 0o644);
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toContain('others may read or write it (mode 644)');
    expect(asked()).toContain('do: chmod 600 ');
  });

  test.each<[string, object, string]>([
    ['is over', { from: -2 * DAY_MS, to: -DAY_MS }, 'expired on'],
    ['has not begun', { from: DAY_MS, to: 2 * DAY_MS }, 'is not valid before'],
  ])('the life of the certificate %s', async (_, life, message) => {
    writePair(folder, 'relay', await authority.client(life));
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toMatch(new RegExp(`^WRONG +certificate for the cloud: the certificate .*${message}`));
  });

  test('two thirds of the life of the certificate are over', async () => {
    writePair(folder, 'relay', await authority.client({ from: -70 * DAY_MS, to: 30 * DAY_MS }));
    expect(await doctor('relay')).toBe(0);
    expect(asked()).toMatch(
      /^WARN +certificate for the cloud: .* 29 days from now, and two thirds of its life are over/,
    );
    expect(said.at(-1)).toBe('Nothing is wrong; 1 to look after.');
  });

  test('the key belongs to another certificate', async () => {
    writeWhole(folder, 'relay.key', (await authority.client()).key);
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toContain('do not fit each other');
  });

  test('the certificate is for servers', async () => {
    writePair(folder, 'relay', await authority.client({ usage: 'server' }));
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toContain('is not meant for clients');
  });

  test('the authority is another one', async () => {
    writeWhole(folder, 'ca.crt', (await makeAuthority('another')).ca);
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toMatch(/^WRONG +connection: the cloud shows a certificate of another authority/);
  });

  test('no name server knows the cloud', async () => {
    env['CAUSEWAY_RELAY_UPSTREAM'] = 'https://cloud.invalid:4143';
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toMatch(/^WRONG +name: no name server knows cloud\.invalid/);
  });

  test('the server has no certificate for that name', async () => {
    const { cert, key } = await authority.server({ hosts: ['cloud.example'], to: FAR });
    const other = await startCloud({ cert, key, ca: authority.ca });
    try {
      env['CAUSEWAY_RELAY_UPSTREAM'] = other.url;
      expect(await doctor('relay')).toBe(1);
      expect(asked()).toMatch(/^WRONG +connection: the cloud shows a certificate for other names/);
    } finally {
      await other.close();
    }
  });

  test('nothing listens there', async () => {
    env['CAUSEWAY_RELAY_UPSTREAM'] = 'https://127.0.0.1:7';
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toMatch(/^WRONG +connection: nothing listens at the address of the cloud/);
  });

  test.each([false, true])('the clock is a day ahead (behind a proxy of the firm: %s)', async (isBehind) => {
    cloud.script = wholly(NOTHING_NEW, { date: new Date(Date.now() - DAY_MS).toUTCString() });
    const proxy = await startProxy(Number(new URL(cloud.url).port));
    if (isBehind) Object.assign(env, { CAUSEWAY_RELAY_UPSTREAM: 'https://cloud.example', HTTPS_PROXY: proxy.url });
    expect([await doctor('relay'), proxy.asked.length > 0]).toEqual([1, isBehind]);
    await proxy.close();
    expect(asked()).toMatch(/^WRONG +clock: this machine is (?:86399|864\d\d) s ahead of the cloud/);
  });

  test('the certificate is revoked', async () => {
    const body = JSON.stringify({ isSuccess: false, code: 'SYNC4031', message: 'The certificate was revoked.' });
    cloud.script = (_, response) => response.writeHead(403, { 'content-length': body.length }).end(body);
    expect(await doctor('relay')).toBe(1);
    expect(asked()).toMatch(/^WRONG +cloud: The cloud does not accept the certificate: The certificate was revoked/);
  });

  test('no server listens at the relay’s address', async () => {
    env['CAUSEWAY_RELAY_LISTEN'] = '127.0.0.1:7';
    expect(await doctor('relay')).toBe(0);
    expect(asked()).toMatch(/^WARN +listener: no program listens at 127\.0\.0\.1:7/);
  });
});

describe('Intake', () => {
  let file: string;
  beforeEach(async () => {
    file = path.join(folder, 'ledger.sqlite');
    const files = writePair(folder, 'intake', await authority.client());
    env = {
      CAUSEWAY_LEDGER: file,
      CAUSEWAY_INTAKE_UPSTREAM: cloud.url,
      CAUSEWAY_INTAKE_CERT: files.cert,
      CAUSEWAY_INTAKE_KEY: files.key,
      CAUSEWAY_INTAKE_CA: writeWhole(folder, 'ca.crt', authority.ca),
      CAUSEWAY_INTAKE_VERIFY_KEY: writeWhole(folder, 'signing.pub', pemOf(vendor)),
      CAUSEWAY_INTAKE_TENANT: '1',
    };
    cloud.script = stating(vendor, NOTHING_NEW);
    const ledger = openLedger(file);
    ledger.write((tx) => recordPull(tx, { at: new Date().toISOString(), head: 0 }));
    ledger.close();
  });
  const vendor = makeVendorKey();
  const change = (sql: string): void => {
    const db = new Database(file);
    db.exec(sql);
    db.close();
  };

  test('a sound Intake', async () => {
    expect({ code: await doctor('intake'), asked: asked() }).toEqual({ code: 0, asked: '' });
    for (const about of [
      'settings',
      'connection',
      'server',
      'clock',
      'disk',
      'ledger',
      'audit log',
      'verification key',
      'pull',
      'reception',
    ])
      expect(said.join('\n')).toMatch(new RegExp(`^ok +${about}: `, 'm'));
  });

  test('its last poll was long ago', async () => {
    const ledger = openLedger(file);
    ledger.write((tx) => recordPull(tx, { at: new Date(Date.now() - 3_600_000).toISOString(), head: 0 }));
    ledger.close();
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toMatch(/^WRONG +reception: the last poll was at .*, 60 minutes ago/);
  });

  test('the last pull failed', async () => {
    const ledger = openLedger(file);
    const at = new Date().toISOString();
    ledger.write((tx) => recordPullFailure(tx, { at, state: 'RETRYING', code: 'ECONNREFUSED', message: 'No answer.' }));
    ledger.close();
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toMatch(/^WRONG +reception: RETRYING: No answer\./);
  });

  test('others may read the ledger', async () => {
    chmodSync(file, 0o640);
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toContain('others may read or write it (mode 640)');
  });

  test.each([
    [999, 'has schema version 999'],
    [39, 'no release of Causeway has its schema version 39'],
  ])('a program of another schema wrote the ledger: %i', async (version, said) => {
    change(`PRAGMA user_version = ${version}`);
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toContain(said);
  });

  test('the ledger is older: it is reported, and not migrated', async () => {
    change('PRAGMA user_version = 0');
    expect(await doctor('intake')).toBe(0);
    expect(asked()).toContain('WARN   ledger: it has the older schema version 0');
    expect(new Database(file, { readonly: true }).pragma('user_version', { simple: true })).toBe(0);
  });

  test('the ledger is no ledger', async () => {
    writeFileSync(file, 'a text that is no ledger at all, long enough. '.repeat(20));
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toContain('is damaged or is not a ledger');
  });

  test('a foreign row is in the audit log', async () => {
    change(
      `INSERT INTO console_action_log (seq, at, actor, actor_role, action, target_type, detail, prev_hash, hash)
        VALUES (1, '2026-11-20T00:00:00.000Z', 'SYSTEM', 'SYSTEM', 'x', 'ledger', '{}', 'a', 'b')`,
    );
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toMatch(/^WRONG +audit log: The audit log is broken at row 1/);
  });

  test('a rebuild hides tickers: a running one ends that, an interrupted one has to be run again', async () => {
    change(`INSERT INTO held_ticker VALUES ('069500'), ('102110')`);
    const release = lockMaintenance(file);
    expect(await doctor('intake')).toBe(0);
    expect(asked()).toMatch(/^WARN +rebuild: no text of 2 tickers is provided to any channel, while a command works/);
    release();
    said = [];
    expect(await doctor('intake')).toBe(1);
    expect(asked()).toMatch(/^WRONG +rebuild: .* a rebuild was interrupted\n +do: run "intake rebuild" again/);
    said = [];
    expect(await doctor('provision')).toBe(1);
    expect(asked()).toMatch(/^WRONG +rebuild: no text of 2 tickers/m);
  });

  test('there is no ledger yet', async () => {
    env['CAUSEWAY_LEDGER'] = path.join(folder, 'other.sqlite');
    expect(await doctor('intake')).toBe(0);
    expect(asked()).toContain('does not exist yet');
  });

  test('there is no room on the disk', () => {
    const { findings } = checkLedger(file, null, () => 150e6, new Date());
    expect(findings[0]).toMatchObject({
      about: 'disk',
      verdict: 'WRONG',
      said: expect.stringContaining('150 MB are free') as string,
    });
    expect(checkLedger(file, null, () => 200e6 + 1, new Date()).findings[0]?.verdict).toBe('WARN');
    expect(checkLedger(file, null, () => 1e9, new Date()).findings[0]?.verdict).toBe('OK');
  });
});

test('backup: none, then one, then none for long', async () => {
  const backups = path.join(folder, 'backups');
  env = { CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'), CAUSEWAY_BACKUP_FOLDER: backups };
  const ledger = openLedger(env['CAUSEWAY_LEDGER'] ?? '');
  expect(await doctor('backup')).toBe(1);
  expect(asked()).toMatch(/^WRONG +backups: there is no backup in /m);
  const { file } = await addBackup(ledger, backups, 2, new Date());
  ledger.close();
  expect(await doctor('backup')).toBe(0);
  const long = new Date(Date.now() - 50 * 3_600_000);
  utimesSync(file, long, long);
  expect(await doctor('backup')).toBe(1);
  expect(asked()).toMatch(/^WRONG +backups: .*, 50 hours old/m);
});

test.each(['provision', 'console-api'])('%s: a ledger whose folder is missing', async (part) => {
  env = { CAUSEWAY_LEDGER: path.join(folder, 'none', 'ledger.sqlite') };
  expect(await doctor(part)).toBe(1);
  expect(asked()).toContain('does not exist');
});

test('console-api: an expired certificate, and a key of another one', async () => {
  const files = writePair(folder, 'console', await authority.server({ from: -2 * DAY_MS, to: -DAY_MS }));
  writeWhole(folder, 'console.key', (await authority.server()).key);
  env = {
    CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
    CAUSEWAY_CONSOLE_CERT: files.cert,
    CAUSEWAY_CONSOLE_KEY: files.key,
  };
  openLedger(env['CAUSEWAY_LEDGER'] ?? '').close();
  expect(await doctor('console-api')).toBe(1);
  expect(asked()).toMatch(/certificate of the console API: the certificate .* expired on/);
  expect(asked()).toMatch(/certificate of the console API: The key in CAUSEWAY_CONSOLE_KEY is not the one/);
});

test('console-api: certificate and key of the settings file, and the part’s own findings about the rest', async () => {
  const files = writePair(folder, 'console', await authority.server({ to: FAR }));
  env = {
    CAUSEWAY_LEDGER: path.join(folder, 'ledger.sqlite'),
    CAUSEWAY_CONSOLE_CERT: files.cert,
    CAUSEWAY_CONSOLE_KEY: files.key,
    CAUSEWAY_CONSOLE_LISTEN: '0.0.0.0:0',
  };
  openLedger(env['CAUSEWAY_LEDGER'] ?? '').close();
  const own = besidePart(folder, 'console-api');
  expect({ code: await doctor('console-api', own), asked: asked() }).toEqual({ code: 0, asked: '' });
  expect(said.join('\n')).toMatch(
    /^ok +certificate of the console API: .*365 days|^ok +certificate of the console API: .*364 days/m,
  );
  delete env['CAUSEWAY_CONSOLE_KEY'];
  env['CAUSEWAY_CONSOLE_SSO_LABEL'] = 'Company';
  said = [];
  expect(await doctor('console-api', own)).toBe(1);
  expect(asked()).toMatch(
    /^WRONG +settings: CAUSEWAY_CONSOLE_KEY is missing: a certificate and its key are given together/m,
  );
});

test('a standstill that no state reports', () => {
  const at = new Date('2026-11-20T08:00:00.000Z');
  const temporary = path.join(folder, 'quiet.sqlite');
  const ledger = openLedger(temporary);
  ledger.write((tx) => recordPull(tx, { at: at.toISOString(), head: null }));
  const status = {
    ...ledger.read((reader) => syncStatus(reader, at)),
    alarms: ['STALLED', 'RAW_DAMAGED', 'QUIET'] as const,
  };
  ledger.close();
  const said = checkReception({ ...status, alarms: [...status.alarms] }, 60_000, at).map((finding) => finding.said);
  expect(said.join('; ')).toMatch(
    /records that it does not send; no record has come for two whole weekdays; a raw record is damaged/,
  );
});

test('a running part of another version than the installed one', async () => {
  const healths = ['9.9.9', PRODUCT_VERSION].map((version) => ({ status: 'UP', version }));
  const part = createServer((_, response) => response.end(JSON.stringify({ isSuccess: true, result: healths[0] })));
  await new Promise<void>((resolve) => part.listen(0, '127.0.0.1', resolve));
  const { port } = part.address() as AddressInfo;
  const file = path.join(folder, 'ledger.sqlite');
  openLedger(file).close();
  env = { CAUSEWAY_LEDGER: file, CAUSEWAY_PROVISION_LISTEN: `127.0.0.1:${port}` };
  try {
    expect(await doctor('provision')).toBe(0);
    expect(asked()).toBe(
      `WARN   version: the one that runs is Causeway 9.9.9, and installed is ${PRODUCT_VERSION}\n` +
        '         do: causeway-agent service install provision --start',
    );
    healths.shift();
    said = [];
    expect({ code: await doctor('provision'), asked: asked(), first: said[0] }).toEqual({
      code: 0,
      asked: '',
      first: `Causeway ${PRODUCT_VERSION}`,
    });
    healths[0] = { status: 'alive', version: PRODUCT_VERSION };
    env = { CAUSEWAY_LEDGER: file, CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${port}` };
    await doctor('intake');
    expect(said.join('\n')).toContain(`version: the relay is Causeway ${PRODUCT_VERSION}, this is ${PRODUCT_VERSION}`);
  } finally {
    await new Promise((resolve) => part.close(resolve));
  }
});

test('a missing settings file is reported as missing', async () => {
  const file = path.join(folder, 'none.env');
  const context = { env: {}, platform: 'linux' as const, own: '/nowhere/a.js', now: () => new Date() };
  const print = (line: string): void => void said.push(line);
  expect(await runAgent(['doctor', 'relay', '--env', file], HELD, { ...context, print, complain: print })).toBe(1);
  expect(said.join('\n')).toContain('none.env cannot be read (ENOENT)');
});

test('a file that the service itself may not read, though root may', () => {
  const file = writeWhole(folder, 'a.key', 'x');
  const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };
  const look = () => checkNamedFile({ variable: 'A_KEY', file, secret: true }, nobody)[0]?.said;
  expect(look()).toBe(`the user nobody may not enter ${folder}`);
  chmodSync(folder, 0o755);
  expect(look()).toBe('the user nobody may not read it');
});
