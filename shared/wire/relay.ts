/** What the relay tells about itself (D39): `GET /status` on its inward listener. Types alone. */

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
  /** Body bytes passed on. */
  bytes: number;
}

export interface RelayStatus {
  startedAt: string;
  /** Address of the cloud. */
  upstream: string;
  /** What the relay shows to the cloud. */
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
