/** Asks the cloud for the first record, to learn whether it can be reached and knows the certificate. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../../shared/time/clock.ts';
import type { CloudProbe } from '../../shared/wire/relay.ts';
import { oneLine } from '../../shared/wire/invisible.ts';
import { UpstreamError } from './errors.ts';
import type { Upstream } from './upstream.ts';

/** The smallest possible pull. */
const QUERY = 'after=0&limit=1';
/** A larger first record is not parsed. */
const MOST_BYTES = 1024 * 1024;

/** Never throws, for any behaviour of the cloud. @param heard gets the headers of its answer */
export async function probeCloud(
  upstream: Upstream,
  clock: Clock,
  heard: (headers: IncomingHttpHeaders) => void = () => undefined,
): Promise<CloudProbe> {
  const began = performance.now();
  const told = (outcome: CloudProbe['outcome'], message: string, said: Partial<ProbeAnswer> = {}): CloudProbe => ({
    outcome,
    at: clock.now().toISOString(),
    ms: Math.round(performance.now() - began),
    status: said.status ?? null,
    code: said.code ?? null,
    message,
    tenantId: said.tenantId ?? null,
  });
  let said: ProbeAnswer;
  try {
    const { status, headers, body } = await upstream.pull(QUERY, new AbortController().signal);
    heard(headers);
    said = { status, ...wordsIn(await readSmall(body)) };
  } catch (error) {
    return told(
      'UNREACHABLE',
      error instanceof UpstreamError ? error.message : `The cloud’s answer broke off: ${textOf(error)}.`,
    );
  }
  const { status, words } = said;
  const answer = words === null ? `HTTP ${status}` : `${words} (${said.code}, HTTP ${status})`;
  if ((status === 200 && said.wellFormed) || status === 410)
    return told('ACCEPTED', 'The cloud answers and knows the certificate.', said);
  if (status === 401 || status === 403)
    return told('REFUSED', `The cloud does not accept the certificate: ${answer}`, said);
  if (status === 429 || status >= 500) return told('NOT_READY', `The cloud is not ready: ${answer}`, said);
  return told('UNEXPECTED', `The server that answers does not behave like the cloud: ${answer}`, said);
}

interface ProbeAnswer extends Words {
  status: number;
}

interface Words {
  /** Whether the body is a success envelope, or too large to tell. */
  wellFormed: boolean;
  code: string | null;
  words: string | null;
  tenantId: number | null;
}

/** Null where the body exceeds the limit. @throws the errors of the body */
async function readSmall(body: Readable): Promise<Buffer | null> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Uint8Array>) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function wordsIn(body: Buffer | null): Words {
  const nothing: Words = { wellFormed: body === null, code: null, words: null, tenantId: null };
  if (body === null) return nothing;
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    return nothing;
  }
  const result = field(value, 'result');
  const code = field(value, 'code');
  const message = field(value, 'message');
  const tenantId = field(result, 'tenant_id');
  return {
    wellFormed: field(value, 'isSuccess') === true,
    code: typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : null,
    words: typeof message === 'string' ? oneLine(message.toWellFormed().slice(0, 300)) : null,
    tenantId: typeof tenantId === 'number' && Number.isSafeInteger(tenantId) ? tenantId : null,
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
