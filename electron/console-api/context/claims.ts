/** The claims of a provider, unchanged. Pure. */
export type Claims = Readonly<Record<string, unknown>>;

/** A claim by its name; if none has that name, dots are a path. Undefined if missing. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Claims)[step];
  }
  return value;
}
