/**
 * Tells observers in the same process that a part is ready for work. A service manager's notice subscribes; without a
 * subscriber nothing happens.
 */

/** Of the process, not of this module: the bundle of a part has a copy of its own beside that of the observer. */
const KEY = Symbol.for('causeway.readiness');
const shared = globalThis as { [KEY]?: EventTarget };
const readiness = (shared[KEY] ??= new EventTarget());

export function tellReady(): void {
  readiness.dispatchEvent(new Event('ready'));
}

export function whenReady(hear: () => void): void {
  readiness.addEventListener('ready', hear);
}
