/**
 * The relay's status (D39), `GET /status` on its inward listener, and the control calls of the console's Cloud Sync
 * (console API 4, D17).
 */

/** The facts by which people compare certificates; never its key. */
export interface CertificateFacts {
  subject: string;
  issuer: string;
  /** SHA-256 over the certificate, lower-case hex; the cloud maps it to the tenant (D29). */
  fingerprint: string;
  validFrom: string;
  validTo: string;
}

export interface CertificateProblem {
  message: string;
  at: string;
}

export interface RelayCounts {
  /** Pulls accepted. */
  pulls: number;
  /** Pulls whose answer was forwarded completely, with any status. */
  relayed: number;
  /** Pulls without an answer of the cloud. */
  failed: number;
  /** Pulls whose answer broke off, upstream or by a bound. */
  cut: number;
  /** Pulls that the caller abandoned. */
  abandoned: number;
  /** Requests that the relay does not forward. */
  refused: number;
  /** Body bytes forwarded. */
  bytes: number;
}

export interface RelayStatus {
  /** Of the program (`version.ts`). */
  version: string;
  startedAt: string;
  /** Address of the cloud. */
  upstream: string;
  /** The certificate that the relay shows to the cloud. */
  certificate: CertificateFacts;
  /** Why changed files are not in use; null while the files in use are the present ones. */
  certificateProblem: CertificateProblem | null;
  /** The same for its inward certificate; null without inward TLS. */
  inward: { certificate: CertificateFacts; certificateProblem: CertificateProblem | null } | null;
  /** The last answer of the cloud; `ms` until its last byte. */
  lastAnswer: { at: string; status: number; bytes: number; ms: number } | null;
  /** The last failed pull. */
  lastFailure: { at: string; message: string } | null;
  counts: RelayCounts;
}

/** POST to each; answers in the envelope (D4). */
export const RELAY_CONTROL = {
  /** `CertificateReplacement` in, `CertificateInstalled` out. */
  certificate: '/control/certificate',
  /** Restores the earlier certificate: nothing in, `CertificateInstalled` out. */
  previous: '/control/certificate/previous',
  /** `CertificateRequestOrder` in, `CertificateRequestMade` out. */
  request: '/control/certificate/request',
  /** Nothing in, `Reconnected` out. */
  reconnect: '/control/reconnect',
} as const;

export interface CertificateReplacement {
  /** PEM; the issuing certificates may follow. */
  certificate: string;
  /** PEM without a passphrase. Without it the certificate is for the key of the last request. */
  key?: string;
  /** The tenant that the certificate must belong to, if the cloud's answer names one. */
  tenantId?: number;
}

export interface CertificateRequestOrder {
  /** Common name to ask for. */
  name?: string;
}

export interface CertificateRequestMade {
  /** PKCS#10, PEM. The key stays the same until a certificate for it has been installed. */
  request: string;
}

/**
 * The outcome of a pull for the first record. ACCEPTED: the cloud knows the certificate.
 * REFUSED: 401 or 403. NOT_READY: 429 or 5xx. UNREACHABLE: no answer. UNEXPECTED: anything else.
 */
export interface CloudProbe {
  outcome: 'ACCEPTED' | 'REFUSED' | 'NOT_READY' | 'UNREACHABLE' | 'UNEXPECTED';
  at: string;
  ms: number;
  /** Status and code of the answer; null without one. */
  status: number | null;
  code: string | null;
  /** The text for a person. */
  message: string;
  /** The tenant of the record; null without a record. */
  tenantId: number | null;
}

export interface CertificateInstalled {
  certificate: CertificateFacts;
  /** The earlier certificate, which can be restored. */
  previous: CertificateFacts | null;
  probe: CloudProbe;
}

export interface Reconnected {
  certificate: CertificateFacts;
  probe: CloudProbe;
}
