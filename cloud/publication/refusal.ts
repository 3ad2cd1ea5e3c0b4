import type { ReasonCode } from './outcomes.ts';

/** A load that cannot be taken, with a code for programs and a sentence for people. Nothing was written. */
export class LoadRefusedError extends Error {
  readonly code: ReasonCode;
  constructor(code: ReasonCode, message: string) {
    super(message);
    this.name = 'LoadRefusedError';
    this.code = code;
  }
}
