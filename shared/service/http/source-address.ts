/** The source address of a request. `X-Forwarded-For` counts only from a proxy that the configuration names. */
import { BlockList, isIP } from 'node:net';

/** Addresses or networks (`10.0.0.0/8`) of proxies, separated by commas. */
export function proxyAddresses(value: string): string[] {
  const addresses = value.split(',').map((one) => one.trim());
  for (const one of addresses) if (!isNetwork(one)) throw new Error(`must be IP addresses or networks, not "${one}"`);
  return addresses;
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (bits === undefined) return true;
  try {
    new BlockList().addSubnet(
      address,
      /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN,
      family === 4 ? 'ipv4' : 'ipv6',
    );
    return true;
  } catch {
    return false;
  }
}

/** @param request of Fastify, whose `ip` follows the proxies that it was told to trust */
export function sourceAddress(request: { ip: string; socket: { remoteAddress?: string | undefined } }): string {
  // A header may hold any text: only an IP address gets into a record.
  const address = isIP(request.ip) === 0 ? (request.socket.remoteAddress ?? '') : request.ip;
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
