/** The relay's checks of the certificate that the cloud presents. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAuthority, writePair, writeWhole, type Authority } from '../../test/support/pki.ts';
import { TestFixture } from '../../test/support/process.ts';
import { ask, startCloud } from '../../test/support/agent/relay.ts';
import { TestRelay } from '../../test/support/agent/relay-process.ts';

const fixture = new TestFixture();
let authority: Authority;
let env: Record<string, string>;

beforeAll(async () => {
  authority = await makeAuthority();
  const folder = fixture.folder('relay');
  const pair = writePair(folder, 'relay', await authority.client({ name: 'tenant 1' }));
  env = {
    CAUSEWAY_RELAY_LISTEN: '127.0.0.1:0',
    CAUSEWAY_RELAY_CERT: pair.cert,
    CAUSEWAY_RELAY_KEY: pair.key,
    CAUSEWAY_RELAY_CA: writeWhole(folder, 'ca.crt', authority.ca),
  };
});
afterAll(() => fixture.clear());

describe('the certificates of the cloud', () => {
  async function expectRefused(tls: Parameters<typeof startCloud>[0], sentence: string | RegExp): Promise<void> {
    const other = await startCloud({ ca: authority.ca, ...tls });
    try {
      const relay = new TestRelay({ ...env, CAUSEWAY_RELAY_UPSTREAM: other.url });
      const seen = await ask(await relay.listening(), '/api/v1/sync/bundle?after=0');
      await relay.stop();
      expect(seen).toMatchObject({ status: 503, whole: true });
      const answer = JSON.parse(seen.body.toString()) as { isSuccess: boolean; code: string; message: string };
      expect(answer).toMatchObject({ isSuccess: false, code: 'COMMON503' });
      expect(answer.message).toMatch(sentence);
      expect(other.seen).toEqual([]);
    } finally {
      await other.close();
    }
  }

  test('must be of the given authority', async () => {
    const { cert, key } = await (await makeAuthority('somebody else')).server();
    await expectRefused(
      { cert, key },
      /: it shows a certificate of another authority than CAUSEWAY_RELAY_CA holds.*\(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)\.$/,
    );
  });

  test('must name the cloud', async () => {
    const { cert, key } = await authority.server({ hosts: ['another.host'] });
    await expectRefused({ cert, key }, 'ERR_TLS_CERT_ALTNAME_INVALID');
  });

  test('must not have expired', async () => {
    const { cert, key } = await authority.server({ to: -60_000 });
    await expectRefused({ cert, key }, /expired/i);
  });

  test('must be for servers', async () => {
    const { cert, key } = await authority.server({ usage: 'client' });
    await expectRefused({ cert, key }, /INVALID_PURPOSE|unsuitable|unsupported certificate purpose/i);
  });

  test('must be shown over TLS 1.2 or later', async () => {
    const { cert, key } = await authority.server();
    await expectRefused(
      { cert, key, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' },
      'TLS was refused (tlsv1 alert protocol version)',
    );
  });

  test('a cloud that rejects our certificate is reported as a failure', async () => {
    const { cert, key } = await authority.server();
    const { ca } = await makeAuthority('somebody else');
    await expectRefused({ cert, key, ca }, 'The cloud cannot be reached');
  });
});
