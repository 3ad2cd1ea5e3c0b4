/** The cookie of a session, and of the way to it (D9, D22). */

/** Under TLS a browser takes a cookie of this name from this very host alone, and shows it there alone. */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/** Sets and clears a session's cookie. */
export const cookieOptions = (secure: boolean) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure }) as const;

/** A browser that was here over TLS comes by nothing else for a year. */
export const HSTS = { 'strict-transport-security': 'max-age=31536000' } as const;
