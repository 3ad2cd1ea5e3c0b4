/**
 * Serves the page of a demo channel (D231). It stands where an app's own server would: it has the channel's key, which no
 * browser gets, and hands each request on to the provision API with the tag that the page sends.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import path from 'node:path';
import { build } from 'rolldown';
import { PAGE_POLICY } from '../../../shared/service/http/pages.ts';
import { INERT_HEADERS } from '../../../shared/service/http/safe-headers.ts';
import { tokensByMedia } from '../../packaging/build/bundle.ts';

export interface ChannelPage {
  url: string;
  close(): Promise<void>;
}

export interface ChannelOptions {
  /** host:port */
  listen: string;
  /** The provision API. */
  provision: string;
  channels: readonly { channel: string; key: string }[];
  /** What the app can show: at most 100, the bound of one request. */
  tickers: readonly string[];
}

const ANSWER_MS = 5_000;
const TOKENS = path.resolve(import.meta.dirname, '../../../shared/ui/theme/tokens.css');
/** `/MTS` or `/MTS/069500`. */
const ASKED = /^\/([A-Z]{1,10})(?:\/([\w.%-]{1,60}))?$/;

export async function serveChannel(options: ChannelOptions): Promise<ChannelPage> {
  const files = await pageFiles();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://channel');
    const file = files.get(pathname);
    const tag = request.headers['if-none-match'];
    // A page elsewhere that resolves its name to this machine gets nothing.
    if (request.headers.host !== options.listen || request.method !== 'GET') end(response, 403);
    else if (file !== undefined)
      end(response, 200, { 'content-type': file.type, 'content-security-policy': PAGE_POLICY }, file.body);
    else void handOn(options, ASKED.exec(pathname), tag, response);
  });
  const [host = '', port = ''] = options.listen.split(':');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(port), host, resolve);
  });
  return {
    url: `http://${options.listen}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function handOn(
  { provision, channels, tickers }: ChannelOptions,
  asked: RegExpExecArray | null,
  tag: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const [, channel, ticker] = asked ?? [];
  const key = channels.find((one) => one.channel === channel)?.key;
  if (key === undefined) return end(response, 404);
  try {
    const at = ticker === undefined ? `/v1/explanations?tickers=${tickers.join(',')}` : `/v1/explanations/${ticker}`;
    const answer = await fetch(new URL(at, provision), {
      headers: { authorization: `Bearer ${key}`, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const etag = answer.headers.get('etag');
    const body = Buffer.from(await answer.arrayBuffer());
    return end(
      response,
      answer.status,
      { 'content-type': 'application/json', ...(etag === null ? {} : { etag }) },
      body,
    );
  } catch {
    // The page shows no text that it cannot ask about.
    return end(response, 502);
  }
}

function end(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
  body?: Buffer | string,
): void {
  response.writeHead(status, { ...INERT_HEADERS, 'cache-control': 'no-store', ...headers });
  response.end(body);
}

interface PageFile {
  type: string;
  body: string;
}

/** The page's files by address, read and bundled once. */
async function pageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const beside = (name: string): string => path.join(import.meta.dirname, name);
  const { output } = await build({
    input: beside('page.ts'),
    write: false,
    logLevel: 'warn',
    output: { format: 'iife' },
  });
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', body: readFileSync(beside('page.html'), 'utf8') }],
    ['/page.css', { type: 'text/css; charset=utf-8', body: readFileSync(beside('page.css'), 'utf8') }],
    ['/tokens.css', { type: 'text/css; charset=utf-8', body: tokensByMedia(readFileSync(TOKENS, 'utf8')) }],
    ['/page.js', { type: 'text/javascript; charset=utf-8', body: output[0].code }],
  ]);
}
