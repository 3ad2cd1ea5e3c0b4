/** Listeners as the doctors of both sides check them: whether they accept a connection. */
import { connect } from 'node:net';
import { warn, ok, skipped, type Finding } from './findings.ts';
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

/** @param part the program that should listen there */
export async function checkListener(about: string, part: string, address: ListenAddress): Promise<Finding> {
  const { host, port } = address;
  if (port === 0) return skipped(about, 'takes a free port at each start');
  if (await isListening(address)) return ok(about, `a program listens at ${host}:${port}`);
  const todo = `start ${part}; if it runs, its log says why it does not listen`;
  return warn(about, `no program listens at ${host}:${port}`, todo);
}
