/** Runs `work` while this process holds the lock file; `onWait` is called once when another process holds it. */
export function withLock<T>(file: string, onWait: () => void, work: () => Promise<T>): Promise<T>;
