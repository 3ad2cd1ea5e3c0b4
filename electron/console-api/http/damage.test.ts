/** A ledger whose pages are overwritten: each answer says that it is damaged and what to do, and the log says where. */
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addChannel } from '../../../agent/ledger/serving/channels.ts';
import { damagePage, newEntry, receive } from '../../../test/support/agent/ledger.ts';
import { SESSION_COOKIE } from './access.ts';
import { TestConsole } from '../../../test/support/console-api/console.ts';

let console: TestConsole;
let lines: string[];
beforeEach(() => {
  lines = [];
  const log = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  console = new TestConsole({ log });
  const at = console.now.toISOString();
  console.ledger.write((tx) => {
    addChannel(tx, { channel: 'MTS', key: 'k', at });
    receive(tx, newEntry('a'), 'AUTO_PUBLISHED', at);
  });
  console.pass(60_000);
});
afterEach(() => console.close());

const DAY = { ticker: '069500', from: '2026-11-20', to: '2026-11-20' };
const get = (path: string, query: Record<string, string>) =>
  console.ask({ method: 'GET', url: `/api/v1/${path}?${new URLSearchParams(query).toString()}`, as: 'TENANT_ADMIN' });

const DAMAGED = {
  status: 503,
  body: {
    code: 'COMMON503',
    message:
      'The ledger is damaged, so nothing was told and nothing was changed. Ask the administrator to run "intake verify" and to restore the ledger from a backup.',
  },
};

test.each(['explanation', 'explanation_provided'])('overwritten pages of %s', async (name) => {
  damagePage(console.file, name);
  const at = console.now.toISOString();
  expect(await get('shown/moment', { ticker: '069500', at })).toMatchObject(DAMAGED);
  expect(await get('shown/day', { ticker: '069500', date: '2026-11-20' })).toMatchObject(DAMAGED);
  const dossier = { method: 'POST', url: '/api/v1/dossiers', as: 'TENANT_ADMIN', body: DAY } as const;
  expect(await console.ask(dossier)).toMatchObject(DAMAGED);
  expect(lines.some((line) => line.includes('database disk image is malformed'))).toBe(true);
});

test('overwritten pages of the sessions, which every request reads before its handler', async () => {
  const cookie = `${SESSION_COOKIE}=${console.session('TENANT_ADMIN')}`;
  damagePage(console.file, 'session');
  const { statusCode: status, body } = await console.app.inject({
    url: '/api/v1/explanations',
    headers: { host: '127.0.0.1', cookie },
  });
  expect({ status, body: JSON.parse(body) as unknown }).toMatchObject(DAMAGED);
});
