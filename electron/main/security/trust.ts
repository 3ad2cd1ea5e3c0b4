/** Which certificates a session of Chromium trusts: those issued by the pinned authority, and no others. */
import type { Session } from 'electron';
import { systemClock } from '../../../shared/time/clock.ts';
import { distrustOf, fingerprintOf, readAuthorities, type Distrust } from './authority.ts';
import type { Log } from '../diagnostics/log.ts';

/** Chromium's own codes, so that a refusal is named like any other certificate error. */
const CODES = {
  'other-name': -200,
  'out-of-date': -201,
  'other-authority': -202,
  'no-server': -207,
} as const satisfies Record<Distrust, number>;

const NAMES: Record<string, Distrust> = {
  ERR_CERT_COMMON_NAME_INVALID: 'other-name',
  ERR_CERT_DATE_INVALID: 'out-of-date',
  ERR_CERT_AUTHORITY_INVALID: 'other-authority',
  ERR_CERT_INVALID: 'no-server',
};

/**
 * @param host the only host that may be reached over TLS; null: none
 * @param authority PEM of the authorities that may have issued its certificate; null: none
 */
export function pinAuthority(session: Session, host: string | null, authority: string | null, log: Log): void {
  const pinned = authority === null ? [] : readAuthorities(authority);
  session.setCertificateVerifyProc(({ hostname, certificate }, answer) => {
    const distrust =
      hostname === host ? distrustOf(certificate.data, hostname, pinned, systemClock.now()) : 'other-name';
    if (distrust === null) {
      answer(0);
      return;
    }
    log.warn('certificate refused', { host: hostname, distrust, fingerprint: fingerprintOf(certificate.data) });
    answer(CODES[distrust]);
  });
}

/** The certificate fault behind a Chromium network error; null for any other error. */
export function distrustNamed(error: string): Distrust | null {
  return NAMES[error] ?? null;
}
