/** A person of the past at the console API: logs in when the session has ended, and sends the page's requests. */
import type { Envelope } from '../../../shared/wire/envelope.ts';

/** The console API refused: the request, and its whole answer. */
export class RefusedError extends Error {
  override name = 'RefusedError';
  readonly code: string;
  readonly #errors: readonly { path: string }[];

  constructor(request: string, answer: Extract<Envelope<unknown>, { isSuccess: false }>) {
    super(`${request}: ${JSON.stringify(answer)}`);
    this.code = answer.code;
    this.#errors = answer.errors ?? [];
  }

  /** What stands behind this in the paths of its errors. */
  namedIn(place: string): string[] {
    return this.#errors.flatMap(({ path }) => (path.startsWith(place) ? [path.slice(place.length)] : []));
  }
}

const COOKIE = /^[^;]+/;

export class Person {
  readonly username: string;
  readonly #url: string;
  readonly #password: string;
  #cookie: string | null = null;

  constructor(url: string, account: { username: string; password: string }) {
    this.#url = url;
    this.username = account.username;
    this.#password = account.password;
  }

  /** @throws RefusedError */
  async ask<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T> {
    if (this.#cookie === null) await this.logIn();
    let response = await this.#send(method, path, body);
    if (response.status === 401) {
      await this.logIn();
      response = await this.#send(method, path, body);
    }
    const answer = (await response.json()) as Envelope<T>;
    if (!answer.isSuccess) throw new RefusedError(`${this.username}: ${method} ${path}`, answer);
    return answer.result as T;
  }

  /** @param password a wrong password, for a person who mistypes it */
  async logIn(password = this.#password): Promise<boolean> {
    const response = await this.#send('POST', '/api/v1/auth/login', { username: this.username, password });
    await response.body?.cancel();
    const cookie = response.headers.getSetCookie()[0];
    this.#cookie = response.status === 200 && cookie !== undefined ? (COOKIE.exec(cookie)?.[0] ?? null) : null;
    return response.status === 200;
  }

  /** Logs in with the password that an administrator has set, and replaces it. */
  async beginWith(currentPassword: string, newPassword: string): Promise<void> {
    await this.logIn(currentPassword);
    await this.ask('POST', '/api/v1/session/password', { currentPassword, newPassword });
  }

  async logOut(): Promise<void> {
    if (this.#cookie !== null) await (await this.#send('POST', '/api/v1/auth/logout')).body?.cancel();
    this.#cookie = null;
  }

  #send(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(this.#cookie === null ? {} : { cookie: this.#cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
