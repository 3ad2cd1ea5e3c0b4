/** Ports: the usual one where it is free, else whichever the system gives. */
import { createServer, type AddressInfo } from 'node:net';

/** The address to listen on: the port that it had before or the usual one, or 0 when another program has it. */
export async function usableAddress(usual: number): Promise<string> {
  return `127.0.0.1:${(await isFree(usual)) ? usual : 0}`;
}

/** As `usableAddress`, for a listener whose address others are told before it is up: a free port by its number. */
export async function knownAddress(usual: number): Promise<string> {
  if (await isFree(usual)) return `127.0.0.1:${usual}`;
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(`127.0.0.1:${port}`));
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
