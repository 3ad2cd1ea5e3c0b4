/** Which hosts are reached without the firm's proxy, the same for the relay and for single sign-on. */
import { BlockList, isIP } from 'node:net';

const bare = (host: string): string => host.replace(/^\[|\]$/g, '').toLowerCase();

/**
 * Whether `NO_PROXY` names a host, as curl reads it: a list with commas or spaces of hosts, domains with all their hosts
 * (with or without a dot in front), addresses, networks (`10.0.0.0/8`), or `*` for all. A port after a name counts too.
 */
export function isExcepted(except: string, hostname: string, port: string): boolean {
  const host = bare(hostname).replace(/\.$/, '');
  return except
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .some((one) => {
      if (one === '*') return true;
      if (isIP(host) !== 0) return isInNetwork(one, host);
      const [, name = one, only] = /^(.*?):(\d+)$/.exec(one) ?? [];
      const domain = name.replace(/^\*?\./, '').replace(/\.$/, '');
      return (only === undefined || only === port) && (host === domain || host.endsWith(`.${domain}`));
    });
}

function isInNetwork(one: string, address: string): boolean {
  const [network = '', bits] = bare(one).split('/');
  const kind = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(network) === 0 || isIP(network) !== isIP(address)) return false;
  const list = new BlockList();
  if (bits === undefined) list.addAddress(network, kind);
  else if (/^\d+$/.test(bits) && Number(bits) <= (kind === 'ipv6' ? 128 : 32))
    list.addSubnet(network, Number(bits), kind);
  return list.check(address, kind);
}
