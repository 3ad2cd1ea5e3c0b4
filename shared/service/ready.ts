/**
 * Tells observers in the same process that a part is ready for work. A service manager's notice subscribes; without a
 * subscriber nothing happens.
 */
const readiness = new EventTarget();

export function tellReady(): void {
  readiness.dispatchEvent(new Event('ready'));
}

export function whenReady(hear: () => void): void {
  readiness.addEventListener('ready', hear);
}
