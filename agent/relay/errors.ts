/** The relay's errors; each message is complete. */

/** An obstacle to the start of the relay beyond a variable's form. */
export class StartError extends Error {
  override name = 'StartError';
}

/** A certificate or key file cannot be used. */
export class CredentialError extends Error {
  override name = 'CredentialError';
}

/** A new certificate or its key does not meet the conditions. The message goes to the caller. */
export class UnfitCertificateError extends Error {
  override name = 'UnfitCertificateError';
  readonly part: 'certificate' | 'key';
  constructor(part: 'certificate' | 'key', message: string) {
    super(message);
    this.part = part;
  }
}

/** The cloud gave no answer, or none that can be forwarded. The message goes to the caller: no paths in it (D7). */
export class UpstreamError extends Error {
  override name = 'UpstreamError';
}

/** A body that was begun cannot continue. The caller sees it cut off. */
export class BodyBoundError extends Error {
  override name = 'BodyBoundError';
}

/** The caller has closed the connection and awaits nothing more. */
export class CallerGoneError extends Error {
  override name = 'CallerGoneError';
}
