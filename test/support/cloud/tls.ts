/** Requests over mutual TLS as a relay makes them, for tests. */
import { Agent, request as startRequest } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import type { KeyedCertificate } from '../../../cloud/pki/certificates.ts';
import { pulledSchema } from '../../../cloud/sync/openapi.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as an envelope. */
  envelope: { isSuccess: boolean; code: string; result?: unknown; errors?: { path: string }[] };
}

export interface ClientOptions {
  /** Authority of the server. */
  ca: string;
  client?: KeyedCertificate;
  minVersion?: 'TLSv1.2' | 'TLSv1.3';
  maxVersion?: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
}

/** A client that keeps its one connection open. */
export function tlsClient(options: ClientOptions): {
  get(url: string, extra?: { method?: string; headers?: Record<string, string> }): Promise<Answer>;
  close(): void;
} {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: 1,
    ca: options.ca,
    ...(options.client === undefined ? {} : { cert: options.client.cert, key: options.client.key }),
    ...(options.minVersion === undefined ? {} : { minVersion: options.minVersion }),
    ...(options.maxVersion === undefined ? {} : { minVersion: 'TLSv1', maxVersion: options.maxVersion }),
  });
  return {
    get: (url, extra = {}) =>
      new Promise((resolve, reject) => {
        const request = startRequest(
          url,
          { agent, method: extra.method ?? 'GET', headers: extra.headers ?? {} },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.once('error', reject);
            response.once('end', () => {
              const body = Buffer.concat(chunks);
              const envelope = (
                body.length === 0 ? { isSuccess: false, code: '' } : JSON.parse(body.toString())
              ) as Answer['envelope'];
              // An answer that its own description does not have fails the test that asked for it.
              const isPulled = response.statusCode === 200 && url.includes(`${BUNDLE_PATH}?`);
              const read = isPulled ? pulledSchema.safeParse(envelope.result) : null;
              if (read?.success === false) reject(read.error);
              else resolve({ status: response.statusCode ?? 0, headers: response.headers, body, envelope });
            });
          },
        );
        request.once('error', reject);
        request.end();
      }),
    close: () => agent.destroy(),
  };
}
