/** Fault 39 at the Intake: the clock is set a day forward or back between polls, and in the middle of one. */
import { afterEach, expect, test } from 'vitest';
import { onWire, startScriptedCloud } from '../../support/scripted-cloud.ts';
import { IntakeFixture } from '../intake-fixture.ts';
import { entries, failureOf } from '../truth.ts';

const DAY_MS = 86_400_000;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

test.each([1, -1])(
  '39: the clock moves by %d day: delivery continues, and the status gives the clock’s own time',
  async (days) => {
    const cloud = await startScriptedCloud({ entries: entries(30) });
    open.push(cloud);
    const fixture = new IntakeFixture(cloud);
    open.push(fixture);
    await fixture.pull();
    fixture.apply();
    const { committedCursor } = fixture.status();
    // While an answer is under way.
    cloud.misbehave = () => {
      fixture.now += days * DAY_MS;
      return null;
    };
    await fixture.pull();
    cloud.misbehave = null;
    fixture.now += days * DAY_MS;
    await fixture.pull();
    fixture.apply();
    expect(fixture.status()).toMatchObject({
      state: 'OK',
      lastSuccessAt: fixture.instant(),
      lastAttemptAt: fixture.instant(),
    });
    expect(fixture.status().committedCursor).toBeGreaterThan(committedCursor);
    // A date in Retry-After that is a day off by our clock does not silence the Intake for a day.
    cloud.misbehave = () =>
      onWire(failureOf('COMMON503'), {
        status: 503,
        headers: { 'Retry-After': new Date(fixture.now + DAY_MS).toUTCString() },
      });
    const next = await fixture.pull();
    expect(next).toMatchObject({ when: 'PERIOD' });
    if (next.when === 'PERIOD') expect(next.notBeforeMs).toBeLessThanOrEqual(3_600_000);
    fixture.promises();
    await fixture.catchUp();
  },
);
