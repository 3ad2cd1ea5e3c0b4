/**
 * A part's word, within its own process, that it does its work now. A watcher of the process from inside it
 * (a service manager's notice) listens; where nobody does, nothing happens.
 */
const readiness = new EventTarget();

export function tellReady(): void {
  readiness.dispatchEvent(new Event('ready'));
}

export function whenReady(hear: () => void): void {
  readiness.addEventListener('ready', hear);
}
