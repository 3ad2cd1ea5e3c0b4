/** The claims of a provider, unchanged. Pure. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * A claim by its name. Dots may be part of a name, as in a client id (`resource_access.my.console.roles`), or lead into
 * an object: the longest name that is there counts at each step, and a shorter one where that leads nowhere. Undefined
 * if missing.
 */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let end = name.lastIndexOf('.'); end > 0; end = name.lastIndexOf('.', end - 1)) {
    const step = name.slice(0, end);
    const inner = Object.hasOwn(claims, step) ? claims[step] : undefined;
    const found =
      typeof inner === 'object' && inner !== null ? claimOf(inner as Claims, name.slice(end + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Whether the provider has left this claim out because it is too long: Entra ID gives more than 200 groups of a person at
 * an address of its own only (`_claim_names`, OpenID Connect Core 5.6.2), and says `hasgroups` in other flows.
 */
export function isLeftOut(claims: Claims, name: string): boolean {
  const elsewhere = claims['_claim_names'];
  if (typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name)) return true;
  return name === 'groups' && (claims['hasgroups'] === true || claims['hasgroups'] === 'true');
}
