/**
 * An upgrade of the ledger that is stopped between two steps of its schema, at the start of each service (D183): the
 * service ends in order, the next start goes on, and the copy that leads back to the earlier program stays (D170).
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLedger } from '../../../agent/ledger/storage/ledger.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { NEXT, NEXT_RELEASE, PRESENT } from '../../support/agent/next-release.ts';
import { TestFixture, waitFor, type Part } from '../../support/process.ts';
import { some } from '../../support/runs.ts';

let fixture: TestFixture;
let file: string;
beforeEach(() => {
  fixture = new TestFixture();
  file = path.join(fixture.folder('upgrade'), 'ledger.sqlite');
  const ledger = openLedger(file);
  ledger.write((tx) => receive(tx, newEntry('e1', { etf_ticker: '100001' }, { cursor: 1 })));
  ledger.close();
});
afterEach(() => fixture.clear());

const SERVICES = {
  'agent/intake/main.ts': { CAUSEWAY_INTAKE_UPSTREAM: 'http://127.0.0.1:9' },
  'agent/provision/main.ts': { CAUSEWAY_PROVISION_LISTEN: '127.0.0.1:0' },
  'electron/console-api/main.ts': { CAUSEWAY_CONSOLE_LISTEN: '127.0.0.1:0' },
};
const start = (script: keyof typeof SERVICES): Part =>
  fixture.start(script, { env: { CAUSEWAY_LEDGER: file, ...SERVICES[script], ...NEXT_RELEASE } });

const versionOf = (name: string): unknown => {
  const db = new Database(name, { readonly: true });
  try {
    return db.pragma('user_version', { simple: true });
  } finally {
    db.close();
  }
};

test.each(some(1, Object.keys(SERVICES) as (keyof typeof SERVICES)[]))('%s', async (script) => {
  const copy = `${file}.schema-${PRESENT}`;
  // The first step waits for another program's write, so that the stop comes before it or in the middle of it.
  const other = new Database(file);
  other.exec('BEGIN IMMEDIATE');
  const stopped = start(script);
  await waitFor('the copy', () => existsSync(`${copy}.migrating-to-${NEXT}`));
  const ending = stopped.stop();
  await stopped.output('Stopping after the present step');
  expect(stopped.exit).toBeNull();
  other.exec('ROLLBACK');
  other.close();
  expect(await ending).toEqual({ code: 0, signal: null });
  const [, steps] = /Stopped at ([01]) of \d+ steps of the schema\./.exec(stopped.stdout + stopped.stderr) ?? [];
  expect([versionOf(file), versionOf(copy)]).toEqual([PRESENT + Number(steps), PRESENT]);

  const again = start(script);
  await again.output('the ledger was migrated');
  await waitFor('the present schema', () => versionOf(file) === NEXT);
  expect(await again.stop()).toEqual({ code: 0, signal: null });
  expect(readdirSync(path.dirname(file)).filter((name) => name.includes('schema'))).toEqual([path.basename(copy)]);
  expect(versionOf(copy)).toBe(PRESENT);
});
