/** The claims of a provider, as they came. Pure. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * A claim by its name; where there is none of that name, dots lead into it. Undefined where nothing is.
 */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Claims)[step];
  }
  return value;
}
