/** A load that cannot be taken, with a code for programs and a sentence for people. Nothing was written. */
export class LoadRefusedError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = 'LoadRefusedError';
    this.code = code;
  }
}
