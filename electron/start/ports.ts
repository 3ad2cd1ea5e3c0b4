/** Ports: the usual one where it is free, else whichever the system gives. */
import { createServer } from 'node:net';

/** The address to listen on: the port that it had before or the usual one, or 0 when another program has it. */
export async function usableAddress(usual: number): Promise<string> {
  return `127.0.0.1:${(await isFree(usual)) ? usual : 0}`;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
