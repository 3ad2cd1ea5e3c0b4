/** The doctor about what stands around a part: its port, the firm's proxy, the journal, the user of a named file. */
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeAuthority } from '../../../test/support/pki.ts';
import type { ListenAddress } from '../../../shared/service/variables.ts';
import { configured } from '../../../shared/service/install/configured.ts';
import { checkJournalStorage } from '../../../shared/service/install/journal.ts';
import { checkPagePort } from '../../../shared/service/listening.ts';
import { OWN_VERSIONS, PRODUCT_VERSION, VERSION_HEADER, versionsText } from '../../../shared/wire/version.ts';
import { PARTS } from '../install/parts.ts';
import { openLedger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { lastBackupAt } from '../../intake/backup/backups.ts';
import { checkNamedFile } from './check-files.ts';
import { checkBackup, checkConsoleApi } from './internal-checks.ts';
import { checkLedger, checkWriteLock } from './check-ledger.ts';
import { checkProxy } from './check-network.ts';
import { checkOwnCertificate, checkOwnVersion, checkRelayVersion } from './check-version.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'causeway-doctor-machine-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function whileServing<T>(answer: RequestListener, work: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const healthy =
  (status: string): RequestListener =>
  (_, response) =>
    void response.end(JSON.stringify({ isSuccess: true, result: { status, version: PRODUCT_VERSION } }));

const ANSWERS: [part: 'relay' | 'provision', answer: RequestListener, expected: string][] = [
  ['provision', healthy('UP'), 'OK'],
  ['provision', healthy('alive'), 'WRONG the part relay answers'],
  ['relay', healthy('UP'), 'WRONG the part provision answers'],
  ['relay', (_, response) => void response.end('<html>'), 'WRONG another program answers'],
];
test.each(ANSWERS)('the port of %s: its answer identifies the part', async (part, answer, expected) => {
  const found = await whileServing(answer, (port) => checkOwnVersion(part, { host: '127.0.0.1', port }));
  expect(found.map(({ verdict, said }) => `${verdict} ${said}`)).toEqual([
    expect.stringMatching(new RegExp(`^${expected}`)),
  ]);
});

test('console-api: another program at the port of its metrics', async () => {
  const ledger = path.join(folder, 'ledger.sqlite');
  openLedger(ledger).close();
  const files = { CAUSEWAY_LEDGER: ledger, CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0' };
  const found = async (answer: RequestListener) => {
    const env = (port: number) => ({ ...files, CAUSEWAY_CONSOLE_METRICS_LISTEN: `127.0.0.1:${port}` });
    const now = (): Date => new Date();
    const findings = await whileServing(answer, (port) =>
      checkConsoleApi({ env: env(port), account: null, freeBytes: () => 1e12, now }),
    );
    return findings.filter(({ verdict }) => verdict !== 'OK' && verdict !== 'SKIPPED').map(({ said }) => said);
  };
  const own: RequestListener = (_, response) => {
    response.setHeader(VERSION_HEADER, versionsText(OWN_VERSIONS));
    response.end('{}');
  };
  expect(await found(own)).toEqual([]);
  expect(await found(healthy('alive'))).toEqual([expect.stringContaining('the part relay answers')]);
});

test('a program that takes connections and never answers is named, whatever the part speaks', async () => {
  const { cert, key } = await (await makeAuthority()).server();
  const other = await (await makeAuthority()).server();
  const mute = createTcpServer((socket) => socket.on('error', () => undefined));
  const part = createTlsServer({ cert, key }, (_, response) => void response.end());
  const verdicts = async (findings: Promise<{ verdict: string; said: string }[]>) =>
    (await findings).map(({ verdict, said }) => `${verdict} ${said}`);
  for (const server of [mute, part]) await once(server.listen(0, '127.0.0.1'), 'listening');
  const [silent, shown] = [mute, part].map((server) => ({
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
  })) as [ListenAddress, ListenAddress];
  expect(await verdicts(checkOwnVersion('provision', silent))).toEqual([
    expect.stringMatching(/^WRONG .* gives no HTTP answer within 3 s/),
  ]);
  const asked = whileServing(healthy('UP'), (port) =>
    verdicts(checkOwnCertificate('provision', cert, { host: '127.0.0.1', port })),
  );
  expect(await asked).toEqual([expect.stringMatching(/^WRONG what listens at .* speaks no TLS/)]);
  expect(await verdicts(checkOwnCertificate('provision', cert, shown))).toEqual([]);
  expect(await verdicts(checkOwnCertificate('provision', other.cert, shown))).toEqual([
    expect.stringMatching(/^WRONG another certificate is shown at /),
  ]);
  for (const server of [mute, part]) server.close();
});

test.each([
  ['UP', 'WRONG the part provision answers'],
  ['alive', 'OK the relay is Causeway'],
])('an upstream that answers "%s": %s', async (status, expected) => {
  const found = await whileServing(healthy(status), (port) =>
    checkRelayVersion(new URL(`http://127.0.0.1:${port}`), {}),
  );
  expect(found.map(({ verdict, said }) => `${verdict} ${said}`)).toEqual([expect.stringContaining(expected)]);
});

test('a proxy of the firm that is gone is named, and the cloud is not blamed', async () => {
  const gone = await whileServing(healthy('UP'), (port) => Promise.resolve(port));
  expect(await checkProxy(new URL(`http://user:secret@127.0.0.1:${gone}`))).toEqual({
    about: 'proxy',
    verdict: 'WRONG',
    said: `127.0.0.1:${gone} takes no connection (ECONNREFUSED)`,
    todo: 'ask the administrator of the proxy, or correct HTTPS_PROXY; the cloud is checked afterwards',
  });
  const there = await whileServing(healthy('UP'), (port) => checkProxy(new URL(`http://127.0.0.1:${port}`)));
  expect(there.verdict).toBe('OK');
});

test('a journal in memory is told where systemd runs, and nothing elsewhere', () => {
  expect(checkJournalStorage(folder)).toEqual([]);
  mkdirSync(path.join(folder, 'run/systemd/system'), { recursive: true });
  expect(checkJournalStorage(folder)).toMatchObject([
    { verdict: 'WARN', said: expect.stringContaining('in memory') as string },
  ]);
  mkdirSync(path.join(folder, 'var/log/journal'), { recursive: true });
  expect(checkJournalStorage(folder)).toMatchObject([{ verdict: 'OK' }]);
});

test.each([
  ['volatile', 'WARN'],
  ['none', 'WARN'],
  ['persistent', 'OK'],
])('Storage=%s of journald counts, whatever folders an earlier setting has left', (storage, verdict) => {
  for (const place of ['run/systemd/system', 'etc/systemd/journald.conf.d'])
    mkdirSync(path.join(folder, place), { recursive: true });
  if (verdict === 'WARN') mkdirSync(path.join(folder, 'var/log/journal'), { recursive: true });
  writeFileSync(path.join(folder, 'etc/systemd/journald.conf'), '[Journal]\n#Storage=auto\nStorage=auto\n');
  writeFileSync(path.join(folder, 'etc/systemd/journald.conf.d/site.conf'), `[Journal]\nStorage=${storage}\n`);
  expect(checkJournalStorage(folder)).toMatchObject([{ verdict }]);
});

test.each([
  [6000, 1],
  [10_080, 1],
  [4300, 0],
])('a page at port %i', (port, findings) => {
  expect(checkPagePort('listener', { host: '0.0.0.0', port })).toHaveLength(findings);
});

test.runIf(process.getuid?.() === 0)('with --env root judges files for the user of the service, and stays root', () => {
  const settings = path.join(folder, 'a.env');
  writeFileSync(settings, 'CAUSEWAY_LEDGER=/x\n');
  const secret = path.join(folder, 'relay.key');
  writeFileSync(secret, '');
  chmodSync(secret, 0o600);
  chmodSync(folder, 0o755);
  const part = { ...PARTS.relay, user: 'nobody' as 'causeway' };
  const { account, user } = configured(part, '/nowhere/relay.env', settings, {});
  expect([account, user?.name]).toEqual([null, 'nobody']);
  expect(checkNamedFile({ variable: 'KEY', file: secret, secret: true }, user)).toMatchObject([
    { verdict: 'WRONG', said: 'the user nobody may not read it' },
  ]);
});

test('a ledger that its service may read and not write is no sound one, and is not to be restored', () => {
  const file = path.join(folder, 'ledger.sqlite');
  openLedger(file).close();
  chmodSync(folder, 0o755);
  chmodSync(file, 0o444);
  const account = { name: 'nobody', uid: 65_534, gid: 65_534 };
  const { findings, state } = checkLedger(file, account, () => 1e12, new Date());
  expect([state, findings.at(-1)]).toMatchObject([
    null,
    {
      verdict: 'WRONG',
      said: 'the user nobody may not write it',
      todo: expect.stringContaining('chown nobody:') as string,
    },
  ]);
  chmodSync(file, 0o600);
  const other = new Database(file);
  other.pragma('user_version = 9999');
  other.close();
  const newer = checkLedger(file, null, () => 1e12, new Date()).findings.at(-1);
  expect(newer).toMatchObject({ verdict: 'WRONG', todo: 'see agent/operations/guide/worst-day.md' });
});

test.runIf(process.getuid?.() === 0)('a folder of backups that nobody can write or read is named', async () => {
  const file = path.join(folder, 'ledger.sqlite');
  openLedger(file).close();
  const backups = path.join(folder, 'backups');
  mkdirSync(backups, { mode: 0o700 });
  chmodSync(folder, 0o755);
  const account = { name: 'nobody', uid: 65_534, gid: 65_534 };
  const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_BACKUP_FOLDER: backups };
  const said = async () => {
    const context = { env, account, freeBytes: () => 1e12, now: () => new Date() };
    return (await checkBackup(context)).filter(({ about }) => about === 'backups');
  };
  expect(await said()).toMatchObject([
    { verdict: 'WRONG', said: `the folder ${backups} cannot be written by the user nobody` },
  ]);
  chownSync(backups, account.uid, account.gid);
  expect(await said()).toMatchObject([{ verdict: 'WRONG', said: `there is no backup in ${backups}` }]);
  // What this process cannot list is a finding too, and no error of the metrics.
  writeFileSync(`${backups}-file`, '');
  env.CAUSEWAY_BACKUP_FOLDER = `${backups}-file`;
  expect(await said()).toMatchObject([{ verdict: 'WRONG', said: `the folder ${backups}-file is no folder` }]);
  expect(lastBackupAt(`${backups}-file`)).toBeNull();
});

test('a row that serves and does not follow from the record is told before somebody asks for it', () => {
  const file = path.join(folder, 'ledger.sqlite');
  const ledger = openLedger(file);
  const said = () =>
    checkLedger(file, null, () => 1e12, new Date('2026-11-20T09:00:00.000Z')).findings.filter(
      ({ about }) => about === 'what was shown',
    );
  expect(said()).toMatchObject([{ verdict: 'OK' }]);
  const row = { etf_ticker: '069500', etf_instrument_id: 'K', etf_name: 'E', market: 'KRX' };
  ledger.write((tx) => tx.run(sqlite.insertInto('instrument').values({ ...row, sector: '은행' })));
  ledger.close();
  expect(said()).toMatchObject([{ verdict: 'WRONG', said: expect.stringContaining('069500') as string }]);
});

test('another program holds the write lock of the ledger', async () => {
  const file = path.join(folder, 'ledger.sqlite');
  openLedger(file).close();
  expect(await checkWriteLock(file)).toEqual([]);
  const holder = new Database(file);
  holder.exec('BEGIN IMMEDIATE');
  const [finding] = await checkWriteLock(file, 10);
  holder.close();
  expect(finding).toMatchObject({ verdict: 'WRONG', todo: expect.stringContaining(`fuser -v ${file}`) as string });
});
