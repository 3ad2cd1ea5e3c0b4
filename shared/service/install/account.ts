/** The account that a service runs as. */
import { readFileSync } from 'node:fs';

/** The account of the service; null: the caller's. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
}

/** The account of a name in a file like /etc/passwd, or null. */
export function accountIn(passwd: string, name: string): Account | null {
  for (const line of readFileSync(passwd, 'utf8').split('\n')) {
    const [found, , uid, gid] = line.split(':');
    if (found === name) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return null;
}
