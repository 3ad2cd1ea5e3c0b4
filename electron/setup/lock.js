/**
 * A lock between processes that prepare the same folder, so that the second one waits for the first one's result
 * instead of repeating its work. The lock is a file with the holder's process id. The holder touches it while it works;
 * the lock of a killed process is taken over.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const TOUCH_EVERY_MS = 2_000;
/** A holder that has not touched its lock for this long is dead, even if another process now has its id. */
const DEAD_AFTER_MS = 60_000;
const POLL_MS = 150;

/**
 * Runs `work` while this process holds the lock.
 *
 * @template T
 * @param {string} file
 * @param {() => void} onWait called once, when another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, onWait, work) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    if (!told) onWait();
    told = true;
    if (isLeftOver(file)) removeLeftOver(file);
    else await pause(POLL_MS);
  }
  const touching = setInterval(() => touch(file), TOUCH_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, String(process.pid));
    closeSync(handle);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function touch(file) {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch (error) {
    // A user cleared the cache: the work continues without the lock.
    if (error.code !== 'ENOENT') throw error;
  }
}

function isLeftOver(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > DEAD_AFTER_MS) return true;
    const holder = Number(readFileSync(file, 'utf8'));
    // Empty for the instant between creating and writing it.
    return holder > 0 && !isAlive(holder);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Two waiting processes may see the same left-over lock: a second lock, held for an instant, keeps one of them from
 * removing the other's new one.
 */
function removeLeftOver(file) {
  const guard = `${file}.takeover`;
  if (!take(guard)) {
    if (isLeftOver(guard)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (isLeftOver(file)) rmSync(file, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}
