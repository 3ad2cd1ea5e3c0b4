/** Arguments that node's own parser (`parseArgs`) refuses; the message is complete. */
export function isArgumentError(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
