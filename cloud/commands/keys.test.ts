/** The origin and protection of private keys: at the tenant, locked, or on another machine than the cloud's. */
import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresServer } from '../../test/support/postgres.ts';
import { sharedPostgres } from '../../test/support/shared-postgres.ts';
import { TestFixture } from '../../test/support/process.ts';
import { commandWith, type Said } from '../../test/support/cloud/command.ts';

interface Prepared {
  pki: { ca: string; serverCert: string; signingKey: string; verifyKey: string };
  tenants: [{ tenantId: number; cert?: string; key?: string }];
  next?: string;
  signingKeyId: string;
}

const holding = (text: string): unknown => expect.stringContaining(text);
const fixture = new TestFixture();
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await sharedPostgres();
});
afterAll(async () => {
  await fixture.clear();
  await postgres.stop();
});

/** Sets up a vendor; returns the output of its commands. */
async function vendor(more: Record<string, string> = {}) {
  const home = fixture.folder('vendor');
  const env = { CAUSEWAY_HOME: home, CAUSEWAY_DATABASE_URL: await postgres.createDatabase(), ...more };
  const command = (...args: string[]): Promise<Said> => commandWith(env, ...args);
  const answer = async <T>(...args: string[]): Promise<T> => {
    const { code, out, err } = await command(...args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out) as T;
  };
  return { home, pki: join(home, 'cloud/pki'), env, command, answer };
}

const openssl = (...args: string[]): string => execFileSync('openssl', args, { encoding: 'utf8', stdio: 'pipe' });
const keysIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.key'));

function passphraseFile(name: string): string {
  const file = join(fixture.folder('secrets'), name);
  writeFileSync(file, `${name} of more than sixteen characters\n`, { mode: 0o600 });
  return file;
}

/** A key of a tenant's with its request, made by OpenSSL in a folder of the tenant's. */
function tenantsRequest(): { key: string; csr: string } {
  const folder = fixture.folder('tenant');
  const [key, csr] = [join(folder, 'relay.key'), join(folder, 'relay.csr')];
  openssl(
    ...['req', '-new', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
    ...['-keyout', key, '-out', csr, '-subj', '/CN=relay'],
  );
  return { key, csr };
}

const belongs = (cert: string, key: string): boolean =>
  new X509Certificate(readFileSync(cert)).checkPrivateKey(createPrivateKey(readFileSync(key)));

describe("a tenant's key", () => {
  test('is not made by init, which asks for a request and issues the certificate once it is there', async () => {
    const { answer, pki } = await vendor();
    const first = await answer<Prepared>('init');
    expect(first).toMatchObject({ tenants: [{ tenantId: 1, name: 'demo' }], next: holding('--csr FILE') });
    expect(first.tenants[0]).not.toHaveProperty('cert');
    expect(keysIn(pki).sort()).toEqual(['ca.key', 'server.key', 'signing.key']);
    expect(await answer('certificate', 'list')).toEqual({ certificates: [] });

    const { key, csr } = tenantsRequest();
    const issued = await answer<Prepared>('init', '--csr', csr);
    expect(issued.tenants[0]).not.toHaveProperty('key');
    expect(belongs(issued.tenants[0].cert ?? '', key)).toBe(true);
    expect(await answer('init')).toEqual({ ...issued, operator: { username: 'operator' } });
    expect(keysIn(pki).sort()).toEqual(['ca.key', 'server.key', 'signing.key']);
  });

  test('made at the vendor is stored locked, and OpenSSL opens it with the printed passphrase', async () => {
    const { answer, command } = await vendor();
    await answer('init');
    expect(await command('certificate', 'issue', '--tenant', '1')).toMatchObject({ code: 2, err: holding('--csr') });
    const made = await answer<{ cert: string; key: string; keyPassphrase: string }>(
      ...['certificate', 'issue', '--tenant', '1', '--make-key'],
    );
    const open = join(fixture.folder('tenant'), 'relay.key');
    openssl('pkey', '-in', made.key, '-passin', `pass:${made.keyPassphrase}`, '-out', open);
    expect(belongs(made.cert, open)).toBe(true);
    expect(() => openssl('pkey', '-in', made.key, '-passin', 'pass:another', '-noout')).toThrow();
    expect(readFileSync(made.key, 'utf8')).toContain('BEGIN ENCRYPTED PRIVATE KEY');
  });
});

describe('locked authority and signing key', () => {
  test('are made, used and followed by locked ones; without the passphrase nothing is signed', async () => {
    const locks = {
      CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: passphraseFile('authority'),
      CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE: passphraseFile('signing'),
    };
    const { answer, env, pki } = await vendor(locks);
    await answer('init');
    const { csr } = tenantsRequest();
    await answer('certificate', 'issue', '--tenant', '1', '--csr', csr);
    for (const step of ['next', 'switch'] as const) {
      await answer('authority', step);
      await answer('signing-key', step);
    }
    for (const name of ['ca.key', 'signing.key']) expect(readFileSync(join(pki, name), 'utf8')).toContain('ENCRYPTED');
    await answer('certificate', 'issue', '--tenant', '1', '--csr', csr, '--name', 'of-the-next');

    const issue = ['certificate', 'issue', '--tenant', '1', '--csr', csr, '--name', 'refused'];
    const wrongly = (file: string) => commandWith({ ...env, CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: file }, ...issue);
    const { CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: file, ...without } = env as typeof env & typeof locks;
    expect(await commandWith(without, ...issue)).toMatchObject({ code: 1, err: holding('ca.key is locked: name') });
    expect(await wrongly(locks.CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE)).toMatchObject({
      code: 1,
      err: holding('does not open by the passphrase of CAUSEWAY_AUTHORITY_PASSPHRASE_FILE'),
    });
    chmodSync(file, 0o644);
    expect(await wrongly(file)).toMatchObject({ code: 1, err: holding('which other users can read') });
    expect(existsSync(join(pki, 'tenants/1/refused.crt'))).toBe(false);
  });

  test('an open key under a lock is refused with the command that locks it, and then serves', async () => {
    const { answer, env, pki } = await vendor();
    const { signingKeyId } = await answer<Prepared>('init');
    const file = passphraseFile('authority');
    const signing = passphraseFile('signing');
    const locked = {
      ...env,
      CAUSEWAY_AUTHORITY_PASSPHRASE_FILE: file,
      CAUSEWAY_SYNC_SIGNING_PASSPHRASE_FILE: signing,
    };
    expect(await commandWith(locked, 'init')).toMatchObject({ code: 1, err: holding('openssl pkcs8 -topk8 -v2') });
    for (const [name, by] of [
      ['ca.key', file],
      ['signing.key', signing],
    ] as const) {
      const out = join(pki, `${name}.locked`);
      openssl('pkcs8', '-topk8', '-v2', 'aes-256-cbc', '-in', join(pki, name), '-passout', `file:${by}`, '-out', out);
      writeFileSync(join(pki, name), readFileSync(out), { mode: 0o600 });
    }
    const again = await commandWith(locked, 'init');
    expect(again).toMatchObject({ code: 0, err: '' });
    expect((JSON.parse(again.out) as Prepared).signingKeyId).toBe(signingKeyId);
  });
});

describe('keys on another machine', () => {
  test('the authority: init takes its certificate alone, and certificates that it has signed are registered', async () => {
    const elsewhere = fixture.folder('elsewhere');
    const [ca, caKey] = [join(elsewhere, 'ca.crt'), join(elsewhere, 'ca.key')];
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
      ...['-keyout', caKey, '-out', ca, '-subj', '/CN=authority', '-addext', 'keyUsage=critical,keyCertSign,cRLSign'],
    );
    const sign = (usage: string, name: string, days = '20'): string => {
      const [extensions, out] = [join(elsewhere, `${name}.ext`), join(elsewhere, `${name}.crt`)];
      writeFileSync(extensions, `basicConstraints=critical,CA:FALSE\nextendedKeyUsage=${usage}\n`);
      const { csr } = tenantsRequest();
      openssl(
        ...['x509', '-req', '-in', csr, '-CA', ca, '-CAkey', caKey, '-days', days, '-extfile', extensions, '-out', out],
      );
      return out;
    };
    const { answer, command, pki } = await vendor();
    const prepared = await answer<Prepared>('init', '--authority', ca);
    expect(prepared.next).toContain('certificate register --tenant 1');
    expect(readFileSync(prepared.pki.ca, 'utf8')).toBe(readFileSync(ca, 'utf8'));
    expect(keysIn(pki)).toEqual(['signing.key']);
    expect(await answer('init', '--authority', ca)).toMatchObject({ tenants: [{ tenantId: 1 }] });
    const { csr } = tenantsRequest();
    expect(await command('certificate', 'issue', '--tenant', '1', '--csr', csr)).toMatchObject({
      code: 1,
      err: holding('call "certificate register"'),
    });

    const good = sign('clientAuth', 'client');
    const { fingerprint } = await answer<{ fingerprint: string }>(
      ...['certificate', 'register', '--tenant', '1', '--file', good],
    );
    expect(fingerprint).toBe(new X509Certificate(readFileSync(good)).fingerprint256.replaceAll(':', '').toLowerCase());
    expect(await answer('certificate', 'list')).toMatchObject({ certificates: [{ tenantId: 1, fingerprint }] });

    const stranger = await vendor();
    await stranger.answer('init', '--make-key');
    for (const [file, why] of [
      [join(stranger.pki, 'tenants/1/client.crt'), 'is not signed by an authority of ca.crt'],
      [sign('serverAuth', 'server'), 'is not for client authentication'],
      [ca, 'is of an authority, not of a tenant'],
    ] as const)
      expect(await command('certificate', 'register', '--tenant', '1', '--file', file)).toMatchObject({
        code: 1,
        err: holding(why),
      });
    expect(await answer('certificate', 'list')).toMatchObject({ certificates: [{ fingerprint }] });
  });

  test('the signing key: init makes none, and hands out the public half of the named one', async () => {
    const file = join(fixture.folder('elsewhere'), 'signing.key');
    openssl('genpkey', '-algorithm', 'ed25519', '-out', file);
    const { answer, pki } = await vendor({ CAUSEWAY_SYNC_SIGNING_KEY: file });
    const prepared = await answer<Prepared>('init');
    expect(existsSync(join(pki, 'signing.key'))).toBe(false);
    expect(prepared.pki.signingKey).toBe(file);
    const expected = createPublicKey(readFileSync(file)).export({ type: 'spki', format: 'pem' });
    expect(readFileSync(prepared.pki.verifyKey, 'utf8')).toBe(expected);
    expect(await answer('init')).toMatchObject({ signingKeyId: prepared.signingKeyId });
  });
});
