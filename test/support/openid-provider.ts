/**
 * A real OpenID provider on loopback, over TLS, for the tests of single sign-on; and a person's browser that goes
 * through it. The provider signs `person` in without asking.
 *
 *   const provider = await OpenIdProvider.open(await makeAuthority());
 *   provider.person = { sub: 'u1', roles: ['compliance'] };
 *   const query = await provider.signIn(authorizationUrl);   // what the browser brings back
 */
import { createPrivateKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import OidcProvider, { type Configuration } from 'oidc-provider';
import { Agent, fetch } from 'undici';
import type { Authority, Issued } from './pki.ts';

/** The claims of the user who signs in; `null` refuses. */
export type Person = { sub: string } & Record<string, unknown>;

/** The claims of an ID token, and its signing. */
export interface BentToken {
  claims: Record<string, unknown>;
  header: Record<string, unknown>;
  key: KeyObject | null;
}

export const CLIENT = { id: 'causeway-console', secret: 'a secret of the tenant that nobody guesses' };

export class OpenIdProvider {
  person: Person | null = null;
  /** Changes the next ID tokens before they are sent, still signed with the provider's own key. */
  bend: ((token: BentToken) => void) | null = null;
  readonly ca: string;
  /** Its port, which stays the same when it is closed and opened again. */
  #port = 0;
  readonly #identity: Issued;
  readonly #key: KeyObject;
  readonly #jwk: Record<string, unknown>;
  readonly #agent: Agent;
  #server: Server | null = null;

  private constructor(authority: Authority, identity: Issued) {
    this.ca = authority.ca;
    this.#identity = identity;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256', kid: 'one' };
    this.#agent = new Agent({ connect: { ca: authority.ca } });
  }

  static async open(authority: Authority): Promise<OpenIdProvider> {
    const provider = new OpenIdProvider(authority, await authority.server());
    await provider.listen();
    return provider;
  }

  get issuer(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async listen(): Promise<void> {
    const server = createServer({ cert: this.#identity.cert, key: this.#identity.key });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    const provider = new OidcProvider(this.issuer, this.#configuration());
    const callback = provider.callback();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.url?.startsWith('/interaction/') === true) void this.#interact(provider, request, response);
      else {
        if (request.url === '/token') this.#bendAnswer(response);
        void callback(request, response);
      }
    });
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  async end(): Promise<void> {
    await this.close();
    await this.#agent.close();
  }

  /** Follows the console's redirect to the provider like a browser; returns the query of the return. */
  async signIn(authorizationUrl: string): Promise<string> {
    const redirectUri = new URL(authorizationUrl).searchParams.get('redirect_uri') ?? '';
    const jar = new Map<string, string>();
    let at = authorizationUrl;
    for (let step = 0; step < 10; step += 1) {
      const answer = await this.browse(at, jar);
      const location = answer.headers.get('location');
      if (location === null) throw new Error(`the provider stops at ${at}: ${answer.status} ${await answer.text()}`);
      at = new URL(location, at).href;
      if (at.startsWith(redirectUri)) return new URL(at).search.slice(1);
    }
    throw new Error('the provider sends the browser round in circles');
  }

  /** One browser request with its cookies. */
  async browse(url: string, jar: Map<string, string>) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', dispatcher: this.#agent, headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return answer;
  }

  #configuration(): Configuration {
    return {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          application_type: 'native',
          redirect_uris: ['http://127.0.0.1/sso/callback'],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [this.#jwk] },
      cookies: { keys: ['a key of the test'] },
      claims: { openid: ['sub', 'roles', 'realm_access'], profile: ['name', 'preferred_username'] },
      // The ID token has every requested claim, unless a test removes it.
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      findAccount: (_context, accountId) => ({
        accountId,
        claims: () => ({ ...this.person, sub: accountId }),
      }),
      interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
      loadExistingGrant: async ({ oidc }) => {
        // The provider asks for no consent.
        if (oidc.client === undefined || oidc.session?.accountId === undefined) return undefined;
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid profile');
        await grant.save();
        return grant;
      },
      ttl: { Session: 3_600, Interaction: 600, Grant: 3_600, IdToken: 600, AccessToken: 600, AuthorizationCode: 60 },
    };
  }

  async #interact(provider: OidcProvider, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const result =
      this.person === null
        ? { error: 'access_denied' }
        : { login: { accountId: this.person.sub, remember: false }, consent: {} };
    await provider.interactionFinished(request, response, result);
  }

  /** Koa sends a JSON answer in one piece, at the end. */
  #bendAnswer(response: ServerResponse): void {
    const end = response.end.bind(response);
    response.end = ((chunk: unknown, ...rest: []) => {
      const { bend } = this;
      if (bend === null || typeof chunk !== 'string' || !chunk.includes('id_token')) return end(chunk, ...rest);
      const tokens = JSON.parse(chunk) as { id_token: string };
      const bent = JSON.stringify({ ...tokens, id_token: this.#bent(tokens.id_token, bend) });
      response.setHeader('content-length', Buffer.byteLength(bent));
      return end(bent);
    }) as typeof response.end;
  }

  #bent(token: string, bend: (token: BentToken) => void): string {
    const [header = {}, claims = {}] = token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
    const bent: BentToken = {
      header,
      claims,
      key: createPrivateKey(this.#key.export({ format: 'pem', type: 'pkcs8' })),
    };
    bend(bent);
    const signed = [bent.header, bent.claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const signature =
      bent.key === null
        ? ''
        : sign('sha256', Buffer.from(signed), { key: bent.key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    return `${signed}.${signature}`;
  }
}
