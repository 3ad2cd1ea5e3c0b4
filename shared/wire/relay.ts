/**
 * The relay's account of itself (D39), `GET /status` on its inward listener, and the calls by which
 * the console's Cloud Sync changes something there (console API 4, D17).
 */

/** A certificate as people compare it; never its key. */
export interface CertificateFacts {
  subject: string;
  issuer: string;
  /** SHA-256 over the certificate, lower-case hex: by it the cloud knows the tenant (D29). */
  fingerprint: string;
  validFrom: string;
  validTo: string;
}

export interface CertificateProblem {
  message: string;
  at: string;
}

export interface RelayCounts {
  /** Pulls that were taken on. */
  pulls: number;
  /** Pulls whose answer went through whole, whatever its status. */
  relayed: number;
  /** Pulls that got no answer from the cloud. */
  failed: number;
  /** Pulls whose answer broke off, upstream or by a bound. */
  cut: number;
  /** Pulls that the caller gave up. */
  abandoned: number;
  /** Requests that are none of the relay's business. */
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
  /** Why changed files are not in use; null while the files and what is in use are the same. */
  certificateProblem: CertificateProblem | null;
  /** The same of what it shows to the Intake; null where it answers this machine alone, without TLS. */
  inward: { certificate: CertificateFacts; certificateProblem: CertificateProblem | null } | null;
  /** The last answer of the cloud; `ms` until its last byte. */
  lastAnswer: { at: string; status: number; bytes: number; ms: number } | null;
  /** The last time that there was no whole answer. */
  lastFailure: { at: string; message: string } | null;
  counts: RelayCounts;
}

/** POST to each; answers in the envelope (D4). */
export const RELAY_CONTROL = {
  /** `CertificateReplacement` in, `CertificateInstalled` out. */
  certificate: '/control/certificate',
  /** Back to the certificate before: nothing in, `CertificateInstalled` out. */
  previous: '/control/certificate/previous',
  /** `CertificateRequestOrder` in, `CertificateRequestMade` out. */
  request: '/control/certificate/request',
  /** Nothing in, `Reconnected` out. */
  reconnect: '/control/reconnect',
} as const;

export interface CertificateReplacement {
  /** PEM; those that issued it may follow. */
  certificate: string;
  /** PEM without a passphrase. Without it the certificate is for the key of the last request. */
  key?: string;
  /** Whose it must be, where the cloud tells. */
  tenantId?: number;
}

export interface CertificateRequestOrder {
  /** Common name to ask for. */
  name?: string;
}

export interface CertificateRequestMade {
  /** PKCS#10, PEM. The same key as long as no certificate for it has been installed. */
  request: string;
}

/**
 * The cloud's answer when it was asked for the first record. ACCEPTED: it knows the certificate.
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
  /** Of the record that came; null where none did. */
  tenantId: number | null;
}

export interface CertificateInstalled {
  certificate: CertificateFacts;
  /** The one that can be gone back to. */
  previous: CertificateFacts | null;
  probe: CloudProbe;
}

export interface Reconnected {
  certificate: CertificateFacts;
  probe: CloudProbe;
}
