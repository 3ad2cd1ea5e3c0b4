/**
 * Calls the relay in the DMZ, which holds the certificate that identifies the tenant to the cloud (D39). Calls go
 * outwards like all others: with a client certificate of this host, or with a token if the relay is on this machine.
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { z } from 'zod';
import { describeOtherAuthority } from '../../../shared/service/tls/another-authority.ts';
import { FAILURES, ApiError, type FailureCode } from '../../../shared/wire/envelope.ts';
import { certificatesInFile } from './certificate-file.ts';

export interface RelayAccess {
  /** Its inward address. */
  url: URL;
  /** File of the token to send. */
  tokenFile: string | null;
  /** Files of certificate, key and authority, PEM. */
  tls: { cert: string; key: string; ca: string } | null;
}

export interface RelayCall<A> {
  method: 'GET' | 'POST';
  path: string;
  body?: object | undefined;
  answer: z.ZodType<A>;
}

/** Time limit in ms: the relay tests a new certificate with the cloud meanwhile. */
const PATIENCE_MS = 60_000;
const MOST_ANSWER = 256 * 1024;

/**
 * Calls the relay and returns the `result` of its answer. A refusal as wrong or not possible is passed on with its
 * sentence; any other failure, an invalid result included, is "not ready".
 *
 * @throws ApiError COMMON400, COMMON409, COMMON503
 */
export async function askRelay<A>(
  access: RelayAccess,
  { method, path, body, answer: expected }: RelayCall<A>,
): Promise<A> {
  let text: string;
  try {
    text = await exchange(access, method, path, body === undefined ? undefined : JSON.stringify(body));
  } catch (error) {
    const other = describeOtherAuthority(error, 'CAUSEWAY_CONSOLE_RELAY_CA holds');
    const why = other ?? (error instanceof Error ? error.message : String(error));
    throw new ApiError('COMMON503', `The relay at ${access.url.origin} does not answer (${why}).`);
  }
  const answer = envelopeOf(text);
  if (answer === null) throw new ApiError('COMMON503', `The service at ${access.url.origin} is not a relay.`);
  if (answer.isSuccess) {
    const result = expected.safeParse(answer.result);
    if (result.success) return result.data;
    throw new ApiError('COMMON503', `The answer of the relay at ${access.url.origin} cannot be read.`);
  }
  throw new ApiError(passedOn(answer.code), `The relay says: ${answer.message}`);
}

/** A fault of the caller stays the caller's; any other is between the relay and us. */
function passedOn(code: string): FailureCode {
  return code === 'COMMON400' || code === 'COMMON409' ? code : 'COMMON503';
}

/** `GET /status` answers bare or in an envelope; the calls answer in one. */
function envelopeOf(
  text: string,
): { isSuccess: true; result: unknown } | { isSuccess: false; code: string; message: string } | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { isSuccess, code, message, result } = value as Record<string, unknown>;
  if (isSuccess === true) return { isSuccess, result };
  if (isSuccess !== false || typeof message !== 'string') return null;
  return { isSuccess, code: typeof code === 'string' && code in FAILURES ? code : 'COMMON503', message };
}

function exchange(access: RelayAccess, method: string, path: string, body: string | undefined): Promise<string> {
  const { url, tokenFile, tls } = access;
  return new Promise((resolve, reject) => {
    const headers = {
      ...(tokenFile === null ? {} : { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
    };
    const common = { method, headers, agent: false, signal: AbortSignal.timeout(PATIENCE_MS) } as const;
    const target = new URL(path, url);
    const request =
      tls === null
        ? http.request(target, common)
        : https.request(target, {
            ...common,
            // Read at every call, so that the files can be replaced.
            cert: certificatesInFile('CAUSEWAY_CONSOLE_RELAY_CERT', tls.cert).join('\n'),
            key: readFileSync(tls.key),
            ca: certificatesInFile('CAUSEWAY_CONSOLE_RELAY_CA', tls.ca),
          });
    request.once('error', reject);
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > MOST_ANSWER) response.destroy(new Error('the answer is too long'));
      });
      response.once('error', reject);
      response.once('end', () => resolve(text));
    });
    request.end(body);
  });
}
