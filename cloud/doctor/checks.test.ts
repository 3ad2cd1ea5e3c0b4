/** The parts of the doctor that need no running cloud. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { systemClock } from '../../shared/time/clock.ts';
import { TestFixture } from '../../test/support/process.ts';
import { runCommandLine } from '../commands/command-line.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { keyLock } from '../pki/key-lock.ts';
import { prepareStore } from '../store/migrations/prepare.ts';
import { checkSigningKey } from './check-files.ts';
import { checkStore } from './check-store.ts';

const holding = (text: string): unknown => expect.stringContaining(text);
const fixture = new TestFixture();
const open = () => keyLock('CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE', undefined);
afterAll(() => fixture.clear());

async function signingKey(step: 'make' | 'next', out: string): Promise<void> {
  const quiet = { env: {}, print: () => undefined, printError: () => undefined };
  expect(await runCommandLine(['signing-key', step, '--out', out], quiet)).toBe(0);
}

test('a signing key with the public file of another key, and one in rotation', async () => {
  const out = fixture.folder('signing');
  await signingKey('make', out);
  const file = join(out, 'signing.key');
  expect(checkSigningKey(file, open)).toMatchObject([{ verdict: 'OK', said: holding('belongs to it') }]);
  await signingKey('next', out);
  expect(checkSigningKey(file, open)).toMatchObject([{ verdict: 'WARN', said: 'another key takes over' }]);
  chmodSync(file, 0o644);
  writeFileSync(join(out, 'signing.pub'), readFileSync(join(out, 'signing-next.pub')));
  expect(checkSigningKey(file, open)).toMatchObject([
    { verdict: 'WRONG', said: 'others may read or write it (mode 644)' },
    { verdict: 'WRONG', said: holding('does not hold the public key') },
  ]);
});

test('an embedded store: disk, purpose, and a missing one', async () => {
  const at = fixture.folder('embedded');
  const none = await checkStore(
    { CAUSEWAY_HOME: at, CAUSEWAY_DATABASE_URL: undefined, CAUSEWAY_DATABASE_CONNECTIONS: 2 },
    () => new Date(),
  );
  expect(none).toMatchObject([{ verdict: 'WARN', said: holding('there is no embedded store') }]);
  const config = { CAUSEWAY_HOME: at, CAUSEWAY_DATABASE_URL: undefined, CAUSEWAY_DATABASE_CONNECTIONS: 2 };
  const applied: (readonly number[])[] = [];
  const made = await prepareStore(config, systemClock, (versions) => applied.push(versions));
  try {
    const found = await checkStore(
      { CAUSEWAY_HOME: at, CAUSEWAY_DATABASE_URL: undefined, CAUSEWAY_DATABASE_CONNECTIONS: 2 },
      () => new Date(),
    );
    expect(found).toMatchObject([
      { about: 'store', verdict: 'WARN' },
      { about: 'disk', verdict: 'OK' },
      { about: 'store', verdict: 'SKIPPED', said: holding('a running cloud has it open') },
    ]);
  } finally {
    await made.close();
  }
  // A second preparation applies nothing.
  await (await prepareStore(config, systemClock, (versions) => applied.push(versions))).close();
  expect(applied).toEqual([MIGRATIONS.map(({ version }) => version)]);
  const stopped = await checkStore(config, () => new Date());
  expect(stopped.filter(({ verdict }) => verdict !== 'OK').map(({ about }) => about)).toEqual(['store']);
  expect(stopped).toContainEqual(expect.objectContaining({ about: 'schema', verdict: 'OK' }));
});
