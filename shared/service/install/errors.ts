/** Why a service could not be installed, removed or asked; the message is the whole story. */
export class ServiceError extends Error {
  override name = 'ServiceError';
}
