/** The cookies of a session and of its login (D9, D22). */

/** Under TLS the prefix makes a browser accept this cookie only from this host, and send it only there. */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-${name}` : name);

/** Sets and clears a session's cookie. */
export const cookieOptions = (secure: boolean) => ({ path: '/', httpOnly: true, sameSite: 'strict', secure }) as const;

/** A browser that connected over TLS uses nothing else for a year. */
export const HSTS = { 'strict-transport-security': 'max-age=31536000' } as const;
