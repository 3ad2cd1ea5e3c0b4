/** The demo's two clients of the cloud: the engine's door (D43) and the operator API (operator API 4). */
import { z } from 'zod';
import type { LineAnswer, Load } from '../publication/load.ts';

/** The cloud cannot be reached or is not ready; worth another try. */
export class UnreachableError extends Error {
  constructor(what: string, why: string) {
    super(`${what} cannot be reached: ${why}`);
    this.name = 'UnreachableError';
  }
}

/** The cloud answered and refused for good: a wrong token, account or request. */
export class RefusedError extends Error {
  constructor(what: string, status: number, message: string, remedy: string) {
    super(`${what} refused with ${status} (${message}). ${remedy}`);
    this.name = 'RefusedError';
  }
}

const answerSchema = z.looseObject({ isSuccess: z.boolean(), code: z.string(), message: z.string() });
const linesSchema = z.looseObject({
  result: z.looseObject({
    lines: z.array(
      z.object({
        line: z.int(),
        outcome: z.enum(['PUBLISHED', 'DRAFT', 'WITHDRAWN', 'SKIPPED', 'FAILED']),
        id: z.string().nullable(),
        reason: z.string().nullable(),
        message: z.string().nullable(),
        repeated: z.boolean(),
        deliveries: z.int(),
      }),
    ),
  }),
});

interface Answer {
  status: number;
  body: unknown;
  cookies: string[];
}

/** An answer of any status; only a missing, unreadable or "try again" one is an error. */
async function ask(what: string, url: URL, request: RequestInit): Promise<Answer> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, request);
    text = await response.text();
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    throw new UnreachableError(what, reasonOf(error));
  }
  if (response.status >= 500 || response.status === 429)
    throw new UnreachableError(what, `it answered ${response.status}`);
  try {
    return { status: response.status, body: JSON.parse(text), cookies: response.headers.getSetCookie() };
  } catch {
    throw new RefusedError(
      what,
      response.status,
      'the answer is not JSON',
      `Check that ${url.origin} is the right address.`,
    );
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function messageOf(body: unknown): string {
  const answer = answerSchema.safeParse(body);
  return answer.success ? `${answer.data.code}: ${answer.data.message}` : 'an answer of another kind';
}

export class EngineDoor {
  readonly #url: URL;
  readonly #token: string;

  constructor(base: URL, token: string) {
    this.#url = new URL('/internal/v1/loads', base);
    this.#token = token;
  }

  /** Hands in loads, in this order. @returns the outcome of each @throws UnreachableError, RefusedError */
  async post(loads: readonly Load[], signal: AbortSignal): Promise<LineAnswer[]> {
    const what = "The engine's door";
    const { status, body } = await ask(what, this.#url, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/x-ndjson' },
      body: loads.map((load) => `${JSON.stringify(load)}\n`).join(''),
      signal,
    });
    if (status !== 200)
      throw new RefusedError(what, status, messageOf(body), 'Check CAUSEWAY_ENGINE_URL and CAUSEWAY_ENGINE_TOKEN.');
    const answer = linesSchema.safeParse(body);
    if (!answer.success)
      throw new RefusedError(what, status, 'the answer has no list of lines', 'Check CAUSEWAY_ENGINE_URL.');
    return answer.data.result.lines;
  }
}

export interface Account {
  username: string;
  password: string;
}

/** The outcome of a withdrawal: done, already done or never published, or unknown. */
export type WithdrawOutcome = 'WITHDRAWN' | 'NOT_PUBLISHED' | 'UNKNOWN';

export class OperatorClient {
  readonly #base: URL;
  readonly #account: Account;
  #cookie: string | null = null;

  constructor(base: URL, account: Account) {
    this.#base = base;
    this.#account = account;
  }

  /** @throws UnreachableError, RefusedError */
  async withdraw(id: string, reason: string, signal: AbortSignal): Promise<WithdrawOutcome> {
    const path = `/api/v1/analyses/${encodeURIComponent(id)}/invalidate`;
    if (this.#cookie === null) await this.#logIn(signal);
    let answer = await this.#post(path, { reason }, signal);
    if (answer.status === 401) {
      // The session expired while it was idle.
      await this.#logIn(signal);
      answer = await this.#post(path, { reason }, signal);
    }
    switch (answer.status) {
      case 200:
        return 'WITHDRAWN';
      case 409:
        return 'NOT_PUBLISHED';
      case 404:
        return 'UNKNOWN';
      default:
        throw new RefusedError(
          'The operator API',
          answer.status,
          messageOf(answer.body),
          'Check CAUSEWAY_OPERATOR_URL.',
        );
    }
  }

  async #logIn(signal: AbortSignal): Promise<void> {
    this.#cookie = null;
    const { status, body, cookies } = await this.#post('/api/v1/auth/login', this.#account, signal);
    if (status !== 200) {
      const remedy = 'Check CAUSEWAY_OPERATOR_USERNAME and CAUSEWAY_OPERATOR_PASSWORD.';
      throw new RefusedError('The operator API', status, messageOf(body), remedy);
    }
    this.#cookie = cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ');
  }

  async #post(path: string, body: unknown, signal: AbortSignal): Promise<Answer> {
    return ask('The operator API', new URL(path, this.#base), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#cookie === null ? {} : { cookie: this.#cookie }),
      },
      body: JSON.stringify(body),
      signal,
    });
  }
}
