/** Whether a browser has come by the address at which a proxy with TLS stands before this server. */
export function isByOrigin(host: string | undefined, origin: URL | undefined): boolean {
  return origin !== undefined && host?.toLowerCase() === origin.host;
}
