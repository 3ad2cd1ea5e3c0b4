/** Listeners as the doctors of both sides check them: whether they accept a connection. */
import { connect } from 'node:net';
import { warn, ok, skipped, wrong, type Finding } from './findings.ts';
import type { ListenAddress } from './variables.ts';

const PATIENCE_MS = 3_000;

/** The host by which this machine reaches its own listener, also one on every address. */
export const ownHostOf = ({ host }: ListenAddress): string =>
  host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;

export function isListening(address: ListenAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: ownHostOf(address), port: address.port, timeout: PATIENCE_MS });
    const end = (listens: boolean): void => {
      socket.destroy();
      resolve(listens);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/** Ports that browsers open no page at, as the Fetch standard lists them; those below 1024 aside. */
const REFUSED_PORTS = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697],
  10_080,
]);

/** Of an address that browsers open: whether they do at this port. */
export function checkPagePort(about: string, { port }: ListenAddress): Finding[] {
  if (!REFUSED_PORTS.has(port)) return [];
  return [wrong(about, `no browser opens a page at port ${port}`, 'take another port, for example 4100')];
}

/** @param part the program that should listen there */
export async function checkListener(about: string, part: string, address: ListenAddress): Promise<Finding> {
  const { host, port } = address;
  if (port === 0) return skipped(about, 'takes a free port at each start');
  if (await isListening(address)) return ok(about, `a program listens at ${host}:${port}`);
  const todo = `start ${part}; if it runs, its log says why it does not listen`;
  return warn(about, `no program listens at ${host}:${port}`, todo);
}
