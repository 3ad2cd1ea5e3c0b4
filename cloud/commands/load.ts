/** Sends a JSON Lines file to the engine's door and reports the result of each load (D43). */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { readServerTls } from '../../shared/service/tls/server-tls.ts';
import { helpText, readVariables, type Values } from '../../shared/service/variables.ts';
import type { Envelope } from '../../shared/wire/envelope.ts';
import { DOOR_VARIABLES, doorFiles } from '../config/config.ts';
import type { LineAnswer } from '../publication/load.ts';
import { outcomeLines } from '../publication/outcomes.ts';
import { holdsLoad } from '../ingest/lines.ts';
import { describeLoad } from '../ingest/load-format.ts';
import { BODY_LIMIT, LOADS_PATH } from '../ingest/server.ts';
import { UsageError, type Command } from './command.ts';

/** Lines per request, and the bytes at which it is full: small enough that a slow store answers in time. */
const LINES_PER_REQUEST = 100;
const BYTES_PER_REQUEST = BODY_LIMIT / 4;
const NEWLINE = Buffer.from('\n');

/** The door could not be reached or did not answer as it should. */
export class DoorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DoorError';
  }
}

export const load: Command = {
  usage: ['causeway-cloud load [--check] FILE', 'causeway-cloud load --schema'],
  about:
    "Sends a JSON Lines file to the engine's door of a running cloud; exit code 1 when a load failed. --check tells what " +
    'would happen to each line by itself, and takes none. --schema prints the format of a load as JSON Schema, with an example.',
  help: () =>
    [
      helpText(load.usage.join('\n       '), load.about, DOOR_VARIABLES),
      '',
      'Outcomes and reasons:',
      ...outcomeLines(),
    ].join('\n'),
  run: async ({ args, env, print }) => {
    const { positionals, values } = parseArgs({
      args,
      allowPositionals: true,
      options: { schema: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } },
    });
    const [file] = positionals;
    if (values.schema && file === undefined && !values.check) {
      print(JSON.stringify(describeLoad(), null, 2));
      return 0;
    }
    if (file === undefined || positionals.length > 1 || values.schema)
      throw new UsageError('load takes one file, with --check before it if nothing shall be taken; or --schema alone.');
    const door = doorOf(readVariables(DOOR_VARIABLES, env), values.check);
    let bytes: Buffer;
    try {
      bytes = readFileSync(file);
    } catch (error) {
      throw new DoorError(
        `The file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      );
    }
    const counts = { PUBLISHED: 0, DRAFT: 0, WITHDRAWN: 0, SKIPPED: 0, FAILED: 0, repeated: 0, deliveries: 0 };
    for (const { start, chunk } of chunksOf(linesOf(bytes))) {
      if (!chunk.some(holdsLoad)) continue;
      for (const answer of await send(door, joined(chunk))) {
        counts[answer.outcome] += 1;
        counts.repeated += answer.repeated ? 1 : 0;
        counts.deliveries += answer.deliveries;
        print(describe({ ...answer, line: answer.line + start }));
      }
    }
    const withdrawn = counts.WITHDRAWN === 0 ? '' : ` ${counts.WITHDRAWN} withdrawn,`;
    print(
      `${values.check ? 'Checked, nothing was taken: ' : ''}${counts.PUBLISHED} published, ${counts.DRAFT} draft,${withdrawn} ${counts.SKIPPED} skipped, ${counts.FAILED} failed` +
        ` (${counts.repeated} taken before), ${counts.deliveries} delivery records`,
    );
    return counts.FAILED === 0 ? 0 : 1;
  },
};

/** The lines unchanged, byte by byte: the door reports invalid UTF-8. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start <= bytes.length;) {
    const end = bytes.indexOf(0x0a, start);
    const line = bytes.subarray(start, end < 0 ? bytes.length : end);
    lines.push(line);
    start += line.length + 1;
  }
  return lines;
}

function joined(lines: readonly Buffer[]): Uint8Array {
  return Buffer.concat(lines.flatMap((line) => [line, NEWLINE]));
}

/** Lines of one request, with the number of lines before them. A single line may have any size. */
function* chunksOf(lines: readonly Buffer[]): Generator<{ start: number; chunk: Buffer[] }> {
  let chunk: Buffer[] = [];
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    const size = line.length + 1;
    if (chunk.length === LINES_PER_REQUEST || (chunk.length > 0 && bytes + size > BYTES_PER_REQUEST)) {
      yield { start: index - chunk.length, chunk };
      chunk = [];
      bytes = 0;
    }
    chunk.push(line);
    bytes += size;
  }
  yield { start: lines.length - chunk.length, chunk };
}

interface Door {
  url: URL;
  token: string;
  /** For TLS: the certificate that the door must show, with any name. */
  certificate: X509Certificate | null;
}

/** The door by the cloud's own variables. @throws ConfigurationError */
function doorOf(config: Values<typeof DOOR_VARIABLES>, isCheck: boolean): Door {
  const { host, port } = config.CAUSEWAY_ENGINE_LISTEN;
  const files = doorFiles(config);
  const url = new URL(
    `${files === null ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}${LOADS_PATH}${isCheck ? '?check=true' : ''}`,
  );
  const certificate = files === null ? null : new X509Certificate(readServerTls(files).cert);
  return { url, token: config.CAUSEWAY_ENGINE_TOKEN, certificate };
}

async function post({ url, token, certificate }: Door, body: Uint8Array): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
  const asked =
    certificate === null
      ? requestPlain(url, { method: 'POST', headers })
      : requestSecure(url, {
          method: 'POST',
          headers,
          ca: certificate.toString(),
          allowPartialTrustChain: true,
          checkServerIdentity: (_host, shown) =>
            shown.fingerprint256 === certificate.fingerprint256
              ? undefined
              : new Error('another certificate is shown than CAUSEWAY_ENGINE_CERT holds'),
        });
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: await text(response) };
}

async function send(door: Door, body: Uint8Array): Promise<LineAnswer[]> {
  let response: { status: number; text: string };
  try {
    response = await post(door, body);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    throw new DoorError(
      `The engine's door at ${door.url.href} does not answer (${cause}): start the cloud, or set CAUSEWAY_ENGINE_LISTEN to where it listens.`,
    );
  }
  const answer = readAnswer(response.text);
  if (answer?.isSuccess !== true || answer.result === undefined) {
    throw new DoorError(
      `The engine's door refused the loads: ${answer === null ? `status ${response.status}` : `${answer.code} ${answer.message}`}`,
    );
  }
  return answer.result.lines;
}

function readAnswer(body: string): Envelope<{ lines: LineAnswer[] }> | null {
  try {
    return JSON.parse(body) as Envelope<{ lines: LineAnswer[] }>;
  } catch {
    return null;
  }
}

function describe(answer: LineAnswer): string {
  const notes = [
    answer.reason,
    answer.repeated ? 'taken before' : null,
    answer.deliveries > 0 ? `${answer.deliveries} deliveries` : null,
    answer.message,
    answer.warning === undefined ? null : `but ${answer.warning}`,
  ];
  return [
    `line ${answer.line}`,
    answer.outcome.padEnd(9),
    answer.id ?? '-',
    ...notes.filter((note) => note !== null),
  ].join('  ');
}
