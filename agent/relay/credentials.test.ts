/** Credentials that follow their files: a pair that was replaced before a call counts for it, whatever is under way. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../shared/time/clock.ts';
import { makeAuthority, writePair, writeWhole, type Issued } from '../../test/support/pki.ts';
import { WatchedCredentials } from './credentials.ts';

/** A check of unchanged files is over after so many turns of the event loop. */
const TURNS = 12;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-credentials-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each([true, false])(
  'a pair that is replaced during a check counts for the next call (events: %s)',
  async (isListening) => {
    const authority = await makeAuthority();
    const pairs = [await authority.client(), await authority.client()] as [Issued, Issued];
    const files = writePair(folder, 'relay', pairs[0]);
    const ca = writeWhole(folder, 'ca.crt', authority.ca);
    const named = (file: string): { variable: string; path: string } => ({ variable: 'FILE', path: file });
    const watched = await WatchedCredentials.open(
      { cert: named(files.cert), key: named(files.key), ca: named(ca) },
      systemClock,
    );
    if (isListening) watched.listen();
    try {
      for (let turns = 0, next = 1; turns < 2 * TURNS; turns += 1, next = 1 - next) {
        await watched.checkIfDue();
        const underWay = watched.check();
        for (let turn = 0; turn < turns / 2; turn += 1) await setImmediate();
        const pair = pairs[next] as Issued;
        writePair(folder, 'relay', pair);
        await watched.checkIfDue();
        expect(watched.current.cert, `replaced after ${turns / 2} turns`).toBe(pair.cert);
        await underWay;
      }
    } finally {
      watched.stop();
    }
  },
);
