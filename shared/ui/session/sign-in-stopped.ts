/** A sign-in in the system's browser did not return, or could not begin. */
export class SignInStoppedError extends Error {
  override name = 'SignInStoppedError';
  readonly kind: 'abandoned' | 'not-opened';
  constructor(kind: 'abandoned' | 'not-opened') {
    super(`The sign-in did not come back: ${kind}.`);
    this.kind = kind;
  }
}
