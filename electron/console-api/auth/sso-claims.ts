/** Reads role and names from the claims of a provider. Pure. */
import { createHash } from 'node:crypto';
import type { Role } from '../../../shared/policy/roles.ts';
import type { Identity } from '../../../agent/ledger/accounts/identities.ts';
import { displayName, newUsername } from '../http/schemas.ts';
import type { Claims } from '../context/claims.ts';

/**
 * The roles of a claim: of its text, or of each text in its list. Any other claim gives none. None of the roles
 * contains another (console API 1), so several roles give none.
 */
export function rolesOf(claim: unknown, roles: ReadonlyMap<string, Role>): Role[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return [...new Set(values.flatMap((value) => (typeof value === 'string' ? (roles.get(value) ?? []) : [])))];
}

/**
 * The names under which a person may be known here, the best first. The last two are derived from the identity, so that
 * a name which the provider gives to two people never merges them.
 */
export function namesOf(
  claims: Claims,
  { issuer, subject }: Identity,
): { usernames: [string, ...string[]]; displayName: string } {
  const mark = createHash('sha256').update(`${issuer}\0${subject}`).digest('hex').slice(0, 12);
  const given = ['preferred_username', 'email', 'upn'].flatMap((name) => {
    const read = newUsername.safeParse(claims[name]);
    return read.success && displayName.safeParse(read.data).success ? [read.data] : [];
  });
  const [best] = given;
  const marked = best === undefined ? [] : [`${best.slice(0, 80)}-${mark}`];
  const name = displayName.safeParse(claims['name']);
  const [first = `user-${mark}`, ...rest] = [...new Set([...given, ...marked, `user-${mark}`])];
  return { usernames: [first, ...rest], displayName: name.success ? name.data : first };
}
