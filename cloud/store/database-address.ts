/**
 * The database's address in libpq's form:
 * `postgres://user:password@host:5432,standby:5432/name?target_session_attrs=read-write`. Several hosts are one
 * database with its standbys; only the writable one is used (D136).
 */

export interface DatabaseAddress {
  /** An address of one host each, in their order. */
  hosts: readonly string[];
  /** Whether a read-only host is skipped. */
  writesNeeded: boolean;
  /** Session settings from the address (`options=-c …`); they override the cloud's own. */
  options: string | null;
}

const EXAMPLE =
  'must be a PostgreSQL address, for example postgres://user:password@host:5432/causeway (with a standby: host:5432,standby:5432), with %2F for a / in the password and so on';
const ROLE = 'target_session_attrs';

/** @throws Error with a sentence for the administrator */
export function readDatabaseAddress(address: string): DatabaseAddress {
  const scheme = /^postgres(?:ql)?:\/\//.exec(address)?.[0];
  if (scheme === undefined) throw new Error(URL.canParse(address) ? 'must begin with postgres://' : EXAMPLE);
  const rest = address.slice(scheme.length);
  const end = rest.search(/[/?#]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf('@') + 1;
  const hosts = authority
    .slice(at)
    .split(',')
    .map((host) => `${scheme}${authority.slice(0, at)}${host}${end === -1 ? '' : rest.slice(end)}`);
  const read = hosts.map((host) => {
    const url = URL.parse(host);
    if (url === null || (hosts.length > 1 && url.hostname === '')) throw new Error(EXAMPLE);
    return url;
  });
  const [first] = read;
  const role = first?.searchParams.get(ROLE) ?? null;
  if (role !== null && role !== 'read-write')
    throw new Error(`can have ${ROLE}=read-write alone, not "${role}": the cloud writes`);
  const options = first?.searchParams.get('options') ?? null;
  for (const url of read) {
    url.searchParams.delete(ROLE);
    url.searchParams.delete('options');
  }
  return { hosts: read.map(({ href }) => href), writesNeeded: role !== null || hosts.length > 1, options };
}
