/** Ports: the usual one if free, else one that the system assigns. */
import { createServer, type AddressInfo } from 'node:net';

/** The address to listen on: the usual port, or 0 when another program uses it. */
export async function usableAddress(usual: number): Promise<string> {
  return `127.0.0.1:${(await isFree(usual)) ? usual : 0}`;
}

/** As `usableAddress`, for a listener whose address is announced before it starts: a free port by number. */
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
