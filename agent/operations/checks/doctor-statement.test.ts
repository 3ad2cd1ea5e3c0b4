/** The doctor's findings about the vendor's key and statements (D59). */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeWhole } from '../../../test/support/pki.ts';
import { TestFixture } from '../../../test/support/process.ts';
import { makeVendorKey, pemOf, stating } from '../../../test/support/vendor-key.ts';
import { keyIdOf } from '../../intake/receive/statement.ts';
import { openLedger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { checkIntake } from './internal-checks.ts';

const NOTHING_NEW = JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK' });
const fixture = new TestFixture();
const folder = fixture.folder('doctor-statement');
const vendor = makeVendorKey();
afterAll(() => fixture.clear());

/** The doctor's finding about one subject, for an Intake with a relay that gives this answer. */
async function findingAbout(about: string, answer: RequestListener, verifies = true, more = {}) {
  const relay = createServer(answer);
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  try {
    const env = {
      CAUSEWAY_LEDGER: path.join(folder, 'none.sqlite'),
      CAUSEWAY_INTAKE_UPSTREAM: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
      ...(verifies ? { CAUSEWAY_INTAKE_VERIFY_KEY: writeWhole(folder, 'signing.pub', pemOf(vendor)) } : {}),
      ...more,
    };
    const findings = await checkIntake({ env, account: null, now: () => new Date(), freeBytes: () => 1e12 });
    return findings.find((finding) => finding.about === about);
  } finally {
    relay.closeAllConnections();
    relay.close();
  }
}
const holding = (text: string): string => expect.stringContaining(text) as string;

test('a good answer, and the id of the key, to be compared with the vendor’s', async () => {
  expect(await findingAbout('pull', stating(vendor, NOTHING_NEW))).toMatchObject({ verdict: 'OK' });
  expect(await findingAbout('verification key', stating(vendor, NOTHING_NEW))).toMatchObject({
    verdict: 'OK',
    said: holding(keyIdOf(vendor.publicKey)),
  });
});

test('an answer of the vendor that breaks the rules of the envelope', async () => {
  expect(await findingAbout('pull', stating(vendor, '{"isSuccess":true}'))).toMatchObject({
    verdict: 'WRONG',
    said: holding('The answer does not fit: code'),
  });
});

test('the relay has no statement of the vendor, or repeats one from before', async () => {
  expect(await findingAbout('pull', (_, response) => response.end(NOTHING_NEW))).toMatchObject({
    verdict: 'WRONG',
    said: holding('The answer has no statement of the vendor'),
  });
  const before = stating(vendor, NOTHING_NEW, () => new Date(Date.now() - 3_600_000));
  expect(await findingAbout('pull', before)).toMatchObject({
    verdict: 'WRONG',
    said: holding("this host's clock says"),
  });
});

test('without a verification key it works, and the finding explains the risk', async () => {
  const answer: RequestListener = (_, response) => response.end(NOTHING_NEW);
  expect(await findingAbout('pull', answer, false)).toMatchObject({ verdict: 'OK' });
  expect(await findingAbout('verification key', answer, false)).toMatchObject({
    verdict: 'WARN',
    said: holding('could hide withdrawals'),
  });
});

test('the tenant of the ledger is configured, stored, both and different, or left to the first bundle', async () => {
  const about = (more: object) => findingAbout('tenant', stating(vendor, NOTHING_NEW), true, more);
  expect(await about({})).toMatchObject({ verdict: 'WARN', said: holding('the first bundle will decide') });
  expect(await about({ CAUSEWAY_INTAKE_TENANT: '1' })).toMatchObject({ verdict: 'OK', said: holding('tenant 1') });
  const answer = stating(vendor, NOTHING_NEW);
  expect(await findingAbout('pull', answer, true, { CAUSEWAY_INTAKE_TENANT: '2' })).toMatchObject({
    verdict: 'WRONG',
    said: holding('about tenant 1, and this ledger belongs to tenant 2'),
  });
  const file = path.join(folder, 'bound.sqlite');
  const ledger = openLedger(file);
  ledger.write((tx) => tx.run(sqlite.updateTable('sync_state').set({ tenant_id: 7 })));
  ledger.close();
  expect(await about({ CAUSEWAY_LEDGER: file })).toMatchObject({ verdict: 'OK', said: holding('tenant 7') });
  expect(await about({ CAUSEWAY_LEDGER: file, CAUSEWAY_INTAKE_TENANT: '1' })).toMatchObject({
    verdict: 'WRONG',
    said: holding('belongs to tenant 7, and CAUSEWAY_INTAKE_TENANT names 1'),
  });
});

test('the answer of a relay controls no terminal and adds no line', async () => {
  const message = '\u001b[2J\u001b]0;x\u0007\nok     pull: all is well\u202e';
  const refused: RequestListener = (_, response) => {
    response.writeHead(500).end(JSON.stringify({ isSuccess: false, code: 'COMMON500', message }));
  };
  const finding = await findingAbout('pull', refused, false);
  expect(finding).toMatchObject({ verdict: 'WRONG', said: holding('ok     pull: all is well (COMMON500, HTTP 500)') });
  expect(finding?.said).not.toMatch(/[\p{Cc}\u202e]/u);
  const twice: RequestListener = (_, response) =>
    response.end(`{"isSuccess":true,"code":"COMMON200","message":"OK","result":{"${'\\n\u001b'.repeat(9_999)}":1}}`);
  const other = await findingAbout('pull', twice, false);
  expect(other?.said).not.toMatch(/\p{Cc}/u);
  expect(other?.said.length).toBeLessThan(1_000);
});
