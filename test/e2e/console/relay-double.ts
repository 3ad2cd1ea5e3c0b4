/** Stands in for a relay: it reports a certificate, creates a request, and accepts any certificate. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { success } from '../../../shared/wire/envelope.ts';
import { RELAY_CONTROL, type CertificateFacts, type CloudProbe } from '../../../shared/wire/relay.ts';

const FACTS: CertificateFacts = {
  subject: 'CN=tenant-1',
  issuer: 'CN=Vendor',
  fingerprint: '0123456789abcdef'.repeat(4),
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: '2036-01-01T00:00:00.000Z',
};
const PROBE: CloudProbe = {
  outcome: 'ACCEPTED',
  at: '2026-11-20T09:00:00.000Z',
  ms: 12,
  status: 200,
  code: 'COMMON200',
  message: 'The cloud answers and knows the certificate.',
  tenantId: 1,
};
const INSTALLED = { certificate: { ...FACTS, subject: 'CN=tenant-1-new' }, previous: FACTS, probe: PROBE };

const ANSWERS: Readonly<Record<string, unknown>> = {
  '/status': { certificate: FACTS, certificateProblem: null },
  [RELAY_CONTROL.request]: {
    request: '-----BEGIN CERTIFICATE REQUEST-----\nMIHLMHICAQAw\n-----END CERTIFICATE REQUEST-----\n',
  },
  [RELAY_CONTROL.certificate]: INSTALLED,
  [RELAY_CONTROL.reconnect]: { certificate: FACTS, probe: PROBE },
};

export async function startRelayDouble(): Promise<{ url: string; close: () => void }> {
  const server: Server = createServer((request, response) => {
    const answer = ANSWERS[request.url ?? ''];
    request.resume();
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(success(answer)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
