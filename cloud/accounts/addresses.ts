/** Whether a browser used the address of a TLS proxy before this server. */
export function isByOrigin(host: string | undefined, origin: URL | undefined): boolean {
  return origin !== undefined && host?.toLowerCase() === origin.host;
}
