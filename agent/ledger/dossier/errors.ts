/** The ledger cannot give what a dossier must hold: nothing is made, because a part would read like the whole. */
export class DossierError extends Error {
  override name = 'DossierError';
}

/** There is no such explanation, or none of the ticker in the span. */
export class NothingToTellError extends Error {
  override name = 'NothingToTellError';
}

/** More than one dossier holds: ask for less. */
export class DossierTooLargeError extends Error {
  override name = 'DossierTooLargeError';
}
