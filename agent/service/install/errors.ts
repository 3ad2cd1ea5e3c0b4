/** Why a service could not be installed, removed or asked; the message is the whole story. */
export class ServiceError extends Error {
  override name = 'ServiceError';
}

/** The system's code of a failure (`ENOENT`), else its words. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
