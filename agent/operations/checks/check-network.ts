/** The doctor's checks of an upstream: the name, the connection, the identity of the server, and its clock. */
import { lookup } from 'node:dns/promises';
import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { connect, isIP } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { ANOTHER_AUTHORITY } from '../../../shared/service/tls/another-authority.ts';
import { BUNDLE_PATH } from '../../../shared/wire/bundle-endpoint.ts';
import { warn, ok, wrong, type Finding } from '../../../shared/service/findings.ts';
import { codeOf } from '../../../shared/service/error-code.ts';

const PATIENCE_MS = 10_000;
/** The Date header counts whole seconds; certificates begin five minutes before they were made. */
const CLOCK_TOLERANCE_S = 30;
const CLOCK_WRONG_S = 240;
const SERVER_DAYS = 30;
const DAY_MS = 86_400_000;

/** PEM texts, as far as they are configured. */
export interface Shown {
  cert?: string;
  key?: string;
  ca?: string;
}

/** @param who what stands there, for the sentences @returns the findings, and whether a server answered */
export async function checkUpstream(
  who: string,
  address: URL,
  shown: Shown,
  now: () => Date,
): Promise<{ findings: Finding[]; answered: boolean }> {
  const host = address.hostname.replace(/^\[|\]$/g, '');
  const findings: Finding[] = [];
  if (isIP(host) === 0) {
    try {
      const found = await lookup(host, { all: true });
      findings.push(ok('name', `${host} is ${found.map((one) => one.address).join(', ')}`));
    } catch (error) {
      const said = `no name server knows ${host} (${codeOf(error)})`;
      findings.push(wrong('name', said, `check the address for a misspelling, and the name servers of this machine`));
      return { findings, answered: false };
    }
  }
  let answer: Head;
  try {
    answer = await headOf(address, host, shown);
  } catch (error) {
    findings.push(broken(who, address, error));
    return { findings, answered: false };
  }
  findings.push(
    ok(
      'connection',
      `${who} answers at ${address.origin}${answer.peer === null ? '' : ' over TLS, and is who it says'}`,
    ),
  );
  if (answer.peer !== null) findings.push(serverLife(who, answer.peer, now()));
  findings.push(checkClock(who, answer.date, now()));
  return { findings, answered: true };
}

/** Whether the firm's proxy takes connections: nothing of the cloud can be said while it does not. */
export async function checkProxy(address: URL): Promise<Finding> {
  const { hostname, port, protocol, host: name } = address;
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
  try {
    await connected(place);
    return ok('proxy', `${name} takes connections`);
  } catch (error) {
    const code = codeOf(error instanceof AggregateError ? error.errors[0] : error);
    const todo = 'ask the administrator of the proxy, or correct HTTPS_PROXY; the cloud is checked afterwards';
    return wrong('proxy', `${name} takes no connection (${code})`, todo);
  }
}

function connected(place: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...place, timeout: PATIENCE_MS });
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })));
    socket.once('error', reject);
  });
}

interface Head {
  date: string | undefined;
  peer: PeerCertificate | null;
}

/** Asks for the first record, the one thing that may be asked for, and does not read the body. */
function headOf(address: URL, host: string, shown: Shown): Promise<Head> {
  const secure = address.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const options = {
      host,
      port: address.port === '' ? (secure ? 443 : 80) : address.port,
      path: `${BUNDLE_PATH}?after=0&limit=1`,
      agent: false,
      timeout: PATIENCE_MS,
    };
    const take = (response: IncomingMessage): void => {
      const peer = response.socket instanceof TLSSocket ? response.socket.getPeerCertificate() : null;
      resolve({ date: response.headers.date, peer });
      response.destroy();
    };
    const request = secure
      ? requestSecure({ ...options, ...shown, minVersion: 'TLSv1.2' }, take)
      : requestPlain(options, take);
    request.once('timeout', () =>
      request.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })),
    );
    request.on('error', reject);
    request.end();
  });
}

function broken(who: string, { origin }: URL, error: unknown): Finding {
  // Several addresses of one name were tried: the first reason represents all.
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const code = codeOf(cause);
  const told = (said: string, todo: string): Finding => wrong('connection', `${said} (${origin}, ${code})`, todo);
  if (code === 'ECONNREFUSED')
    return told(`nothing listens at the address of ${who}`, `see that ${who} runs, and check host and port`);
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return told(
      `${who} does not answer within ${PATIENCE_MS / 1_000} s`,
      'ask the firewall’s administrator to open this host and port outwards',
    );
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return told(
      `${who} shows a certificate for other names`,
      'use a name that the certificate holds, or have one issued for this name',
    );
  if (code === 'CERT_HAS_EXPIRED')
    return told(
      `the certificate that ${who} shows has expired`,
      `check the clock of this machine; if it is right, tell the administrator of ${who}`,
    );
  if (code === 'CERT_NOT_YET_VALID')
    return told(`the certificate that ${who} shows is not valid yet`, 'check the clock of this machine');
  if (ANOTHER_AUTHORITY.has(code))
    return told(
      `${who} shows a certificate of another authority than the one that is trusted`,
      'get the right file of the authority; if it is right, something between opens TLS, and must not',
    );
  if (code.startsWith('ERR_SSL_') || code === 'ECONNRESET' || code === 'EPIPE')
    return told(
      `${who} refused the TLS connection`,
      `see that it is ${who} that listens there, and that it knows the client certificate of this part`,
    );
  return told(
    `${who} cannot be reached: ${cause instanceof Error ? cause.message : code}`,
    'check address, port and certificates',
  );
}

function serverLife(who: string, { valid_to: validTo }: PeerCertificate, now: Date): Finding {
  const end = new Date(validTo);
  const days = Math.floor((end.getTime() - now.getTime()) / DAY_MS);
  const said = `the certificate that ${who} shows is valid until ${end.toISOString().slice(0, 10)}, ${days} days from now`;
  return days < SERVER_DAYS
    ? warn('server', said, `tell the administrator of ${who}: after that day no records arrive`)
    : ok('server', said);
}

/** This machine's clock against the Date of an answer. */
export function checkClock(who: string, date: string | undefined, now: Date): Finding {
  const theirs = date === undefined ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return ok('clock', `${who} does not tell its time`);
  const seconds = Math.round((now.getTime() - theirs) / 1_000);
  const off = Math.abs(seconds);
  if (off < CLOCK_TOLERANCE_S) return ok('clock', `no more than ${CLOCK_TOLERANCE_S} s away from that of ${who}`);
  const said = `this machine is ${off} s ${seconds > 0 ? 'ahead of' : 'behind'} ${who}`;
  const todo = 'set both by a time server (chrony, systemd-timesyncd): certificates and Korean days depend on it';
  return off < CLOCK_WRONG_S ? warn('clock', said, todo) : wrong('clock', said, todo);
}
