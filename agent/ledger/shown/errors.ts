/** The ledger has received no explanation of the ticker. */
export class UnknownTickerError extends Error {
  override name = 'UnknownTickerError';
  constructor(ticker: string) {
    super(`No explanation of ${ticker} has been received: check the code.`);
  }
}

/** The record does not lead to the rows that serve now, or the audit log tells otherwise: it cannot tell what was shown. */
export class RecordNotWholeError extends Error {
  override name = 'RecordNotWholeError';
  readonly subject: string;
  readonly fault: string | undefined;
  /** @param fault what the audit log tells or proves otherwise, as a clause */
  constructor(subject: string, fault?: string) {
    const what = fault === undefined ? 'its present state' : `what proves it (${fault})`;
    const commands = fault === undefined ? '"intake verify"' : '"intake verify" and "audit verify"';
    super(
      `The record of ${subject} does not match ${what}, so it cannot show what was provided: run ${commands} on the ledger's host.`,
    );
    this.subject = subject;
    this.fault = fault;
  }
}
