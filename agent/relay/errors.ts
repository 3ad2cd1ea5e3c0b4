/** The relay's errors, each with a message that is the whole story. */

/** Something other than a variable's form keeps the relay from starting. */
export class StartError extends Error {
  override name = 'StartError';
}

/** A certificate or key file cannot be used. */
export class CredentialError extends Error {
  override name = 'CredentialError';
}

/** A new certificate or its key is not what it must be. The message goes to the caller. */
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

/** A body that was begun cannot go on. The caller sees it cut off. */
export class BodyBoundError extends Error {
  override name = 'BodyBoundError';
}

/** The caller has closed the connection: nobody waits for the rest. */
export class CallerGoneError extends Error {
  override name = 'CallerGoneError';
}
