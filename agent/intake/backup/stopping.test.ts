/**
 * A long command that is told to stop, at each of its steps: the ledger is whole, nothing half-made is left, and the
 * next run comes to the same end as one that nobody has stopped (D183).
 */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { StoppedError, UNTOLD, type Progress, type Stage } from '../../../shared/service/long-work/progress.ts';
import { openLedger, type Ledger } from '../../ledger/storage/ledger.ts';
import { sqlite } from '../../ledger/storage/query.ts';
import { changeOnDisk, newAt, partsOn, RESTORE_ALONE, takeIn, TENANT } from '../../../test/support/agent/intake.ts';
import { archiveRawBodies, archiveStages } from './archive.ts';
import { backupLedger, backupStages } from './backup.ts';
import { rebuildLedger } from '../maintenance/rebuild.ts';
import { restoreLedger } from './restore.ts';
import { rebuildStages, restoreStages, verifyStages } from '../maintenance/stages.ts';
import { markOf } from '../maintenance/verify-mark.ts';
import { verifyLedger } from '../maintenance/verify.ts';

const NOW = new Date('2026-11-20T08:00:00.000Z');
const LATER = new Date('2026-12-20T08:00:00.000Z');
const BUNDLES = 110;

let filled: string;
let folder: string;
let file: string;
let ledger: Ledger;
beforeAll(() => {
  filled = mkdtempSync(path.join(tmpdir(), 'causeway-stopping-'));
  const made = openLedger(path.join(filled, 'ledger.sqlite'), { synced: false });
  const parts = partsOn(made, NOW.toISOString());
  for (let bundle = 0; bundle < BUNDLES; bundle += 1)
    takeIn(parts, newAt(2 * bundle + 1, `a${bundle}`, { summary: '매수' }), newAt(2 * bundle + 2, `b${bundle}`));
  made.foldLog();
  made.close();
});
afterAll(() => rmSync(filled, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'causeway-stopping-'));
  file = path.join(folder, 'ledger.sqlite');
  copyFileSync(path.join(filled, 'ledger.sqlite'), file);
  copyFileSync(path.join(filled, 'record.key'), path.join(folder, 'record.key'));
  ledger = openLedger(file, { synced: false });
});
afterEach(() => {
  ledger.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Stops at the step of this number, from 0; remembers what was told. */
class Stopping implements Progress {
  readonly told = new Set<string>();
  #left: number;
  constructor(step: number) {
    this.#left = step;
  }
  plan(): void {}
  unfinished(): void {}
  at(stage: string): void {
    this.told.add(stage);
    if (this.#left === 0) throw new StoppedError('stopped');
    this.#left -= 1;
  }
}

/** Each of the first steps, and then some of each stage. */
const throughAll = (stops: number): number => (stops < 4 ? stops : 3 + 41 * (stops - 3));

/**
 * Runs the work with a stop at a step, again and again, until a run comes to its end.
 *
 * @param stepOf the step at which a run stops that has been stopped so often before
 * @returns how often it was stopped, and the stages of the run that was not
 */
async function stopEverywhere(
  work: (progress: Progress) => unknown,
  afterStop: () => void,
  stepOf = throughAll,
): Promise<{ stops: number; told: Set<string> }> {
  for (let stops = 0; ; stops += 1) {
    const stopping = new Stopping(stepOf(stops));
    try {
      await work(stopping);
      return { stops, told: stopping.told };
    } catch (error) {
      expect(error).toBeInstanceOf(StoppedError);
      afterStop();
    }
  }
}

const names = (stages: readonly Stage[]): string[] => stages.filter(({ units }) => units > 0).map(({ name }) => name);
const findings = (of = ledger): string[] => verifyLedger(of).findings;
const rows = (of: Ledger) => of.all(sqlite.selectFrom('explanation').selectAll().orderBy('number'));

test('verify goes on after what it has found sound, and finds the same', async () => {
  const whole = verifyLedger(ledger);
  let bundlesBefore = 0;
  const { stops, told } = await stopEverywhere(
    (progress) => {
      const mark = markOf(ledger, [], NOW);
      expect(mark.done.received.bundles).toBeGreaterThanOrEqual(bundlesBefore);
      bundlesBefore = mark.done.received.bundles;
      try {
        expect(verifyLedger(ledger, [], { progress, mark })).toEqual(whole);
        mark.forget();
      } catch (error) {
        mark.keep();
        throw error;
      }
    },
    () => undefined,
  );
  expect(stops).toBeGreaterThan(10);
  expect(bundlesBefore).toBe(BUNDLES);
  // The last run had the pages, the raw bundles and the log behind it.
  expect(told).not.toContain('received records');
  expect(readdirSync(folder).some((name) => name.includes('mark'))).toBe(false);
});

test('the mark of a verify counts for a day, for the same file, and while no command rewrites the ledger', () => {
  const marked = (now = NOW) => markOf(ledger, [], now).since !== null;
  const mark = markOf(ledger, [], NOW);
  expect(() => verifyLedger(ledger, [], { progress: new Stopping(50), mark })).toThrow(StoppedError);
  mark.keep();
  expect([marked(), marked(LATER)]).toEqual([true, false]);
  const copy = path.join(folder, 'copy.sqlite');
  ledger.foldLog();
  copyFileSync(file, copy);
  copyFileSync(`${file}.verify-mark`, `${copy}.verify-mark`);
  const other = openLedger(copy);
  expect(markOf(other, [], NOW).since).toBeNull();
  other.close();
  const renamed = (tenant: number) =>
    ledger.write((tx) => tx.run(sqlite.updateTable('sync_state').set({ tenant_id: tenant })));
  renamed(TENANT + 1);
  expect(marked()).toBe(false);
  renamed(TENANT);
  expect(marked()).toBe(true);
  rebuildLedger(partsOn(ledger, NOW.toISOString()));
  expect(marked()).toBe(false);
});

test('a mark that was written by hand passes over nothing', () => {
  const mark = markOf(ledger, [], NOW);
  expect(() => verifyLedger(ledger, [], { progress: new Stopping(50), mark })).toThrow(StoppedError);
  mark.keep();
  const name = `${file}.verify-mark`;
  const kept = readFileSync(name, 'utf8');
  writeFileSync(name, kept.replace(/"bundles":\d+/u, `"bundles":${BUNDLES}`));
  expect(markOf(ledger, [], NOW).since).toBeNull();
  writeFileSync(name, kept);
  expect(markOf(ledger, [], NOW).since).not.toBeNull();
});

test('a damage that was found is found again after a stop', () => {
  changeOnDisk(
    file,
    "DROP TRIGGER raw_bundle_is_never_updated; UPDATE raw_bundle SET body = x'00' WHERE cursor_from = 20",
  );
  const found = findings();
  expect(found.length).toBeGreaterThan(0);
  const mark = markOf(ledger, [], NOW);
  expect(() => verifyLedger(ledger, [], { progress: new Stopping(80), mark })).toThrow(StoppedError);
  mark.keep();
  expect(verifyLedger(ledger, [], { mark: markOf(ledger, [], NOW) }).findings).toEqual(found);
});

test('a rebuild leaves whole rows at every stop, and the next one corrects the rest', async () => {
  const sound = rows(ledger).map(({ version: _version, number: _number, ...row }) => row);
  changeOnDisk(file, "UPDATE explanation SET summary = 'forged'; DELETE FROM explanation WHERE number % 3 = 0");
  const parts = partsOn(ledger, NOW.toISOString());
  const { stops, told } = await stopEverywhere(
    (progress) => rebuildLedger(parts, 10, progress),
    () => expect(ledger.faults()).toEqual([]),
  );
  expect(stops).toBeGreaterThan(10);
  expect(told).toEqual(new Set(names(rebuildStages(ledger))));
  expect(findings()).toEqual([]);
  const after = rows(ledger).map(({ version: _version, number: _number, ...row }) => row);
  const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
  expect(after.map(({ id, summary }) => ({ id, summary })).toSorted(byId)).toEqual(
    sound.map(({ id, summary }) => ({ id, summary })).toSorted(byId),
  );
});

test('an archive that was stopped after each second transaction goes on with the next body', async () => {
  const [most, second] = [5, 1];
  const left: number[] = [];
  let moved = 0;
  expect(archiveStages(ledger, 1, LATER)[0]?.units).toBeCloseTo(2 * BUNDLES, -1);
  expect(archiveStages(ledger, 60, LATER)[0]?.units).toBe(0);
  const { stops } = await stopEverywhere(
    (progress) => (moved = archiveRawBodies(ledger, 1, LATER, progress, most).bundles),
    () => {
      left.push(archiveStages(ledger, 1, LATER)[0]?.units ?? Number.NaN);
      expect(findings()).toEqual([]);
    },
    () => second,
  );
  expect(stops).toBe(BUNDLES / most / 2);
  expect(left).toEqual(Array.from({ length: stops }, (_, stop) => 2 * (BUNDLES - 2 * most * (stop + 1))));
  expect(moved).toBe(0);
  expect(archiveStages(ledger, 1, LATER)[0]?.units).toBe(0);
  expect(findings()).toEqual([]);
});

test('a backup that was stopped leaves nothing', async () => {
  const backup = path.join(folder, 'backup.sqlite');
  const before = readdirSync(folder);
  const { stops, told } = await stopEverywhere(
    (progress) => backupLedger(ledger, backup, progress),
    () => expect(readdirSync(folder)).toEqual(before),
  );
  expect(stops).toBeGreaterThan(10);
  expect(told).toEqual(new Set(names(backupStages(ledger))));
  expect(existsSync(backup)).toBe(true);
});

test('a restore that was stopped leaves the ledger that was there', async () => {
  const backup = path.join(folder, 'backup.sqlite');
  await backupLedger(ledger, backup);
  expect(names(restoreStages(backup))).toEqual(names([...backupStages(ledger)]));
  ledger.close();
  const files = () => readdirSync(folder).filter((name) => !/-(?:intake|upkeep)$/.test(name));
  const before = files();
  const { stops } = await stopEverywhere(
    (progress) => restoreLedger({ ...RESTORE_ALONE, file, backup, now: NOW, progress }),
    () => expect(files()).toEqual(before),
  );
  expect(stops).toBeGreaterThan(10);
  ledger = openLedger(file);
  expect(findings()).toEqual([]);
});

test('the stages of a verify are all told', () => {
  const all = new Stopping(Number.POSITIVE_INFINITY);
  verifyLedger(ledger, [], { progress: all });
  expect(all.told).toEqual(new Set(names(verifyStages(ledger, file))));
  expect(() => UNTOLD.at('received records', 1)).not.toThrow();
});
