/** Node's codes for a certificate that no authority which is trusted here has issued. */
export const ANOTHER_AUTHORITY: ReadonlySet<string> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
]);

/**
 * What is said of such a certificate in place of Node's own words, which advise to trust this machine's authorities: a
 * device that opens connections on the way would have one of those. Null where an error has another cause.
 *
 * @param trusted such as "CAUSEWAY_RELAY_CA holds"
 */
export function describeOtherAuthority(error: unknown, trusted: string): string | null {
  const code = codeWithin(error, 0);
  return code === null
    ? null
    : `it shows a certificate of another authority than ${trusted}, as a device that opens connections on the way would (${code})`;
}

/** Libraries wrap the error of the connection more than once. */
function codeWithin(error: unknown, depth: number): string | null {
  if (!(error instanceof Error) || depth > 5) return null;
  if ('code' in error && typeof error.code === 'string' && ANOTHER_AUTHORITY.has(error.code)) return error.code;
  return codeWithin(error.cause, depth + 1);
}
