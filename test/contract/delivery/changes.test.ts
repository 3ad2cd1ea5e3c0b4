/** Channels that keep texts (D229): the guide's client beside a real provision API, through restart and restore. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { addBackup } from '../../../agent/intake/backup/backups.ts';
import { restoreLedger } from '../../../agent/intake/backup/restore.ts';
import { invalidationAt, newAt, partsOn, RESTORE_ALONE, takeIn, type WholeParts } from '../../support/agent/intake.ts';
import { replaceChannelKey } from '../../../agent/ledger/serving/channels.ts';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { PROJECT, TestFixture, type Part } from '../../support/process.ts';

const fixture = new TestFixture();
afterAll(() => fixture.clear());

const NOW = '2026-11-20T08:00:00.000Z';

/** Answers which of the tickers the client shows. */
const HOST = `import { createServer } from 'node:http';
import { shownOf } from './client.mjs';
const shown = () => ['A', 'B', 'C'].filter((ticker) => shownOf(ticker)?.disclaimer.includes('AI'));
const server = createServer((_, response) => response.end(shown().join()));
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ msg: 'listening', name: 'channel', url: 'http://127.0.0.1:' + server.address().port })));
process.once('SIGTERM', () => process.exit(0));
`;

test('the client of the guide shows what is exposed and nothing else, through withdrawal, restart, restore and a lost key', async () => {
  const folder = fixture.folder('changes');
  const file = path.join(folder, 'ledger.sqlite');
  const start = async (listen: string): Promise<{ part: Part; host: string }> => {
    const env = { CAUSEWAY_LEDGER: file, CAUSEWAY_PROVISION_LISTEN: listen, CAUSEWAY_DEMO: '1' };
    const part = fixture.start('agent/provision/main.ts', { env });
    return { part, host: new URL((await part.listening()).url).host };
  };
  const first = await start('127.0.0.1:0');
  const write = async (work: (parts: WholeParts) => unknown): Promise<void> => {
    const ledger = openLedger(file);
    await work(partsOn(ledger, NOW));
    ledger.close();
  };
  await write((parts) => takeIn(parts, newAt(1, 'a', { etf_ticker: 'A' }), newAt(2, 'b', { etf_ticker: 'B' })));
  const guide = readFileSync(path.join(PROJECT, 'agent/operations/guide/channels.md'), 'utf8');
  writeFileSync(path.join(folder, 'client.mjs'), /```js\n(.*?)```/s.exec(guide)?.[1] ?? '');
  writeFileSync(path.join(folder, 'host.mjs'), HOST);
  const env = { PROVISION: `http://${first.host}`, KEY: 'demo-mts' };
  const { url } = await fixture.start(path.join(folder, 'host.mjs'), { env }).listening();
  const shows = async (tickers: string): Promise<void> => {
    await expect.poll(async () => (await fetch(url)).text(), { timeout: 20_000 }).toBe(tickers);
  };

  await shows('A,B');
  let backup = '';
  await write(async ({ ledger }) => {
    ({ file: backup } = await addBackup(ledger, path.join(folder, 'backups'), 1, new Date()));
  });
  await write((parts) => takeIn(parts, invalidationAt(3, 'a'), newAt(4, 'c', { etf_ticker: 'C' })));
  await shows('B,C');

  // The stream goes on at the next process.
  await first.part.kill();
  await write((parts) => takeIn(parts, invalidationAt(5, 'b')));
  const second = await start(first.host);
  await shows('C');

  // The restored ledger has other rows by the same numbers, so that the client lists anew.
  await second.part.stop();
  await restoreLedger({ file, backup, ...RESTORE_ALONE, now: new Date() });
  await start(first.host);
  await shows('A,B');

  await write(({ ledger }) => ledger.write((tx) => replaceChannelKey(tx, { channel: 'MTS', key: 'another', at: NOW })));
  await shows('');
}, 60_000);
