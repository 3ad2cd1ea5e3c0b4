/**
 * The built pages of the console, outside `/api` and for GET only. They are the same for every user and hold no data,
 * so they need no session. A path that is neither a file nor a page of the build is refused like any other surface that
 * does not exist.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PAGE_POLICY, tellPage } from '../../../shared/service/http/pages.ts';
import { ApiError } from '../../../shared/wire/envelope.ts';
import { DEMO_NAME, OFFER_NAME, SET_UP_NAME, type DemoOffer, type SignInOffer } from '../../../shared/wire/sign-in.ts';
import { sentTarget } from './access.ts';
import { pathOf } from '../../../shared/service/http/target.ts';

/** The build's file types for browsers; other files in its folder are not served. */
const SERVED = new Set(['.js', '.css', '.svg', '.png', '.ico', '.woff2', '.json', '.txt']);

/**
 * Segments begin with a letter or digit and have dots only inside: they lead neither out of the folder nor to hidden
 * files.
 */
const FILE = /^(?:\/[A-Za-z0-9_-]+)*\/[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*(?<extension>\.[a-z0-9]+)$/;
const PAGE = /^(?:\/[A-Za-z0-9_-]+)+$/;

export type StaticPath = { kind: 'page' } | { kind: 'file'; name: string };

/** The requested page or file; null for neither. */
export function staticPath(method: string, target: string, accept: string | undefined): StaticPath | null {
  if (method !== 'GET') return null;
  const asked = pathOf(target);
  if (asked === '/' || asked === '/index.html') return { kind: 'page' };
  // A path that looks like the API's is never answered with a page.
  if (/^\/+api(?:$|[^A-Za-z0-9_-])/i.test(asked)) return null;
  if (SERVED.has(FILE.exec(asked)?.groups?.['extension'] ?? '')) return { kind: 'file', name: asked.slice(1) };
  // Only a browser navigation gets a page; a program learns that the path does not exist.
  return PAGE.test(asked) && accept?.includes('text/html') === true ? { kind: 'page' } : null;
}

export interface StaticFiles {
  /** The folder of the build. */
  pages: string;
  /** The page's line about single sign-on, so that the login screen needs no request; null without it (D21). */
  signIn: SignInOffer | null;
  /** Whether the login offers to register the first administrator, because no account exists. */
  isSetUpOpen: () => boolean;
  /** What a demo offers; absent outside of one (D231). */
  demo?: () => DemoOffer;
}

/** Answers with the page or a file. False for a file that the build lacks. */
export async function sendStaticFile(of: StaticFiles, asked: StaticPath, reply: FastifyReply): Promise<boolean> {
  if (asked.kind === 'page') {
    await sendPage(of, reply);
    return true;
  }
  if (!existsSync(path.join(of.pages, asked.name))) return false;
  await reply.sendFile(asked.name);
  return true;
}

async function sendPage({ pages, signIn, isSetUpOpen, demo }: StaticFiles, reply: FastifyReply): Promise<void> {
  const file = path.join(pages, 'index.html');
  if (!existsSync(file)) {
    throw new ApiError(
      'COMMON503',
      'The pages of the console are not there: they have to be built first. The API works without it.',
    );
  }
  const page = await readFile(file, 'utf8');
  void reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', PAGE_POLICY)
    .header('cache-control', 'no-store');
  await reply.send(
    tellPage(page, {
      ...(signIn === null ? {} : { [OFFER_NAME]: signIn }),
      ...(isSetUpOpen() ? { [SET_UP_NAME]: true } : {}),
      ...(demo === undefined ? {} : { [DEMO_NAME]: demo() }),
    }),
  );
}

export function requestedFile(request: FastifyRequest): StaticPath | null {
  return staticPath(request.method, sentTarget(request), request.headers.accept);
}
