/**
 * The OpenID provider of single sign-on, through `openid-client` (D21): authorization code with PKCE. Its description
 * is fetched for each sign-in, so that an outage or new keys at the provider need no restart here.
 */
import * as oidc from 'openid-client';
import { Agent, fetch, ProxyAgent, type Dispatcher } from 'undici';
import { isExcepted } from '../../../shared/service/http/no-proxy.ts';
import { describeOtherAuthority } from '../../../shared/service/tls/another-authority.ts';
import type { Clock } from '../../../shared/time/clock.ts';
import { claimOf, type Claims } from './claims.ts';
import type { SsoSettings } from './sso-settings.ts';

/** The provider does not answer, gives invalid answers, or does not know this console. `message` is for the log. */
export class ProviderDownError extends Error {
  override name = 'ProviderDownError';
}

/** The provider refuses this person. `message` is for the log. */
export class ProviderRefusedError extends Error {
  override name = 'ProviderRefusedError';
}

/** The provider's answer is not valid. `message` is for the log. */
export class ProofInvalidError extends Error {
  override name = 'ProofInvalidError';
}

/** A sign-in in progress, with the values that its answer must match. Kept only in this process. */
export interface Begun {
  /** The provider's description at the beginning: another provider cannot answer in its place. */
  provider: oidc.ServerMetadata;
  redirectUri: string;
  state: string;
  nonce: string;
  codeVerifier: string;
}

/** The person who has signed in. */
export interface Proven {
  issuer: string;
  subject: string;
  claims: Claims;
  /** The provider's logout address; null without one. */
  signOutUrl: string | null;
}

/** Time limit for the provider's answer, in seconds. */
const TIMEOUT_S = 10;
/** Tolerated difference between its clock and ours, in seconds. */
const CLOCK_TOLERANCE_S = 30;
/** The longest answer that is read, in bytes, both compressed and decompressed. */
const MOST_ANSWER = 1024 * 1024;

export class Provider {
  readonly #settings: SsoSettings;
  readonly #clock: Clock;
  readonly #direct: Dispatcher;
  /** Null without a proxy. */
  readonly #tunnelled: Dispatcher | null;

  constructor(settings: SsoSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    const tls = settings.ca === null ? {} : { ca: settings.ca };
    const options = {
      connect: tls,
      maxResponseSize: MOST_ANSWER,
      // Requests are too rare for a kept connection.
      pipelining: 0,
    };
    this.#direct = new Agent(options);
    this.#tunnelled =
      settings.proxy === null
        ? null
        : new ProxyAgent({ ...options, uri: settings.proxy.address.href, requestTls: tls });
  }

  /** The provider may answer at several hosts, each of which may be excepted. */
  #dispatcherFor({ hostname, port, protocol }: URL): Dispatcher {
    const { proxy } = this.#settings;
    if (proxy === null || this.#tunnelled === null || protocol !== 'https:') return this.#direct;
    return isExcepted(proxy.except, hostname, port || '443') ? this.#direct : this.#tunnelled;
  }

  /** @throws ProviderDownError */
  async begin(redirectUri: string): Promise<Begun & { url: URL }> {
    const { issuer, clientId, scope } = this.#settings;
    try {
      const discovered = await oidc.discovery(issuer, clientId, undefined, oidc.None(), {
        [oidc.customFetch]: this.#fetch,
        timeout: TIMEOUT_S,
      });
      const provider = discovered.serverMetadata();
      const begun = {
        provider,
        redirectUri,
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(this.#configuration(provider), {
        redirect_uri: redirectUri,
        scope,
        state: begun.state,
        nonce: begun.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(begun.codeVerifier),
        code_challenge_method: 'S256',
      });
      if (url.protocol !== 'https:') throw new TypeError(`its authorization endpoint is ${url.origin}`);
      return { ...begun, url };
    } catch (error) {
      throw new ProviderDownError(`the provider does not answer: ${reasonOf(error, this.#trusted)}`, { cause: error });
    }
  }

  get #trusted(): string {
    return this.#settings.ca === null ? 'this program trusts' : 'CAUSEWAY_CONSOLE_SSO_CA holds';
  }

  /**
   * @param query the query with which the browser returned
   * @throws ProviderDownError, ProviderRefusedError, ProofInvalidError
   */
  async finish({ provider, redirectUri, state, nonce, codeVerifier }: Begun, query: string): Promise<Proven> {
    const configuration = this.#configuration(provider);
    const returned = new URL(redirectUri);
    returned.search = query;
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
      });
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined) throw new ProofInvalidError('there is no ID token');
      return {
        issuer: claims.iss,
        subject: claims.sub,
        claims: await this.#wholeClaims(configuration, claims, tokens.access_token),
        signOutUrl: this.#signOutUrl(configuration, tokens.id_token),
      };
    } catch (error) {
      throw named(error, this.#trusted);
    }
  }

  /** The ID token's claims; if the role is missing there, the userinfo claims are added. */
  async #wholeClaims(configuration: oidc.Configuration, claims: oidc.IDToken, accessToken: string): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    if (claimOf(claims, this.#settings.roleClaim) !== undefined) return claims;
    return { ...(await oidc.fetchUserInfo(configuration, accessToken, claims.sub)), ...claims };
  }

  #signOutUrl(configuration: oidc.Configuration, idToken: string): string | null {
    if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
    const url = oidc.buildEndSessionUrl(configuration, { id_token_hint: idToken });
    return url.protocol === 'https:' ? url.href : null;
  }

  #configuration(provider: oidc.ServerMetadata): oidc.Configuration {
    const { clientId, clientSecret } = this.#settings;
    const takes = provider.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authentication =
      clientSecret === null
        ? oidc.None()
        : takes.includes('client_secret_basic')
          ? oidc.ClientSecretBasic(clientSecret)
          : oidc.ClientSecretPost(clientSecret);
    const skewMs = this.#clock.now().getTime() - Date.now();
    const times = { [oidc.clockSkew]: Math.round(skewMs / 1_000), [oidc.clockTolerance]: CLOCK_TOLERANCE_S };
    const configuration = new oidc.Configuration(provider, clientId, times, authentication);
    configuration[oidc.customFetch] = this.#fetch;
    configuration.timeout = TIMEOUT_S;
    // The standard accepts TLS alone; the signature also protects where a proxy in between ends the TLS.
    oidc.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  readonly #fetch: oidc.CustomFetch = async (url, { body, headers, method, redirect, signal }) => {
    const answer = await fetch(url, {
      method,
      headers,
      redirect,
      body: body instanceof URLSearchParams ? body.toString() : null,
      dispatcher: this.#dispatcherFor(new URL(url)),
      ...(signal === undefined ? {} : { signal }),
    });
    const read = await bounded(answer.body ?? []);
    return new Response(read.length === 0 ? null : new Uint8Array(read), {
      status: answer.status,
      headers: [...answer.headers],
    });
  };
}

/** Limits decompressed data: a small answer may expand without end. @throws Error, which leaves the rest unread */
async function bounded(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > MOST_ANSWER) throw new Error(`an answer is longer than ${MOST_ANSWER} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

/** Maps the library's failure to ours. Its messages name claims and endpoints, never a code or token. */
function named(error: unknown, trusted: string): Error {
  if (error instanceof ProofInvalidError) return error;
  const reason = reasonOf(error, trusted);
  if (error instanceof oidc.AuthorizationResponseError)
    return new ProviderRefusedError(`the provider refused the sign-in: ${error.error}`, { cause: error });
  if (error instanceof oidc.ResponseBodyError)
    return isOurFault(error)
      ? new ProviderDownError(`the provider refuses this console: ${error.error}`, { cause: error })
      : new ProviderRefusedError(`the provider refuses the code: ${error.error}`, { cause: error });
  if (error instanceof oidc.ClientError && !NO_ANSWER.has(error.code ?? ''))
    return new ProofInvalidError(reason, { cause: error });
  return new ProviderDownError(`the provider does not answer: ${reason}`, { cause: error });
}

/** Client id or secret are wrong, or the provider has a fault of its own. */
function isOurFault({ error, status }: oidc.ResponseBodyError): boolean {
  return error === 'invalid_client' || error === 'unauthorized_client' || status >= 500;
}

const NO_ANSWER = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM']);

/**
 * The message with its causes: the innermost names the network's error.
 *
 * @param trusted whose certificates are, such as "CAUSEWAY_CONSOLE_SSO_CA holds"
 */
function reasonOf(error: unknown, trusted: string): string {
  const another = describeOtherAuthority(error, trusted);
  if (another !== null) return another;
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${error.message} (${cause.message})` : error.message;
}
