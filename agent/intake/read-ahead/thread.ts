/** The thread of `read-ahead.ts`. Opens the ledger by itself, so that no body crosses from one thread to the other. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { rawBundleAfter } from '../../ledger/inbox/raw-bundles.ts';
import { openLedger } from '../../ledger/storage/ledger.ts';
import { RawBundleDamagedError } from '../apply/committed-entries.ts';
import { isFarAhead, type BundleSize } from './bundle-queue.ts';
import type { Progress } from './read-ahead.ts';
import { bundleReader } from './read-bundle.ts';

const { file, progress } = workerData as { file: string; progress: Progress };
/** Memory for pages, in MB: each body is read once. */
const CACHE_MB = 2;

const ledger = openLedger(file, { create: false, cacheMb: CACHE_MB });
const read = bundleReader(ledger);
let { committed } = progress;
let readTo = progress.applied;
let ahead: BundleSize[] = [];
let isReading = false;

/** @throws RawBundleDamagedError, which ends the thread: the thread that applies reports the damage. */
async function readOn(): Promise<void> {
  if (isReading) return;
  isReading = true;
  while (readTo < committed && !isFarAhead(ahead)) {
    const raw = rawBundleAfter(ledger, readTo);
    if (raw === undefined) throw new RawBundleDamagedError(readTo, 'is missing');
    const bundle = read(raw);
    const { cursorTo, entryCount, bytes } = bundle;
    parentPort?.postMessage(bundle, []);
    ahead.push({ cursorTo, entryCount, bytes });
    readTo = cursorTo;
    // The progress of the other thread comes in between.
    await nextTurn();
  }
  isReading = false;
}

parentPort?.on('message', (news: Progress) => {
  committed = news.committed;
  readTo = Math.max(readTo, news.applied);
  ahead = ahead.filter(({ cursorTo }) => cursorTo > news.applied);
  void readOn();
});
void readOn();
