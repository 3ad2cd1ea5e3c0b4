/**
 * Faults 28 and 29 of the decision journal (D139): after an end at any moment, at each system call, or by a power cut
 * on either disk, every answered decision is in the journal, and the ledger continues from it. Moments come from the
 * printed seed.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyChain } from '../../../agent/ledger/audit/audit.ts';
import { DecisionJournal } from '../../../agent/ledger/journal/journal.ts';
import { placeOf, recordIn } from '../../../agent/ledger/journal/records.ts';
import { makeAgain } from '../../../agent/ledger/journal/replay.ts';
import { addJournalKey, journalKeyFile } from '../../../agent/ledger/journal/journal-key.ts';
import { readJournal } from '../../../agent/ledger/journal/segments.ts';
import { openLedger, type LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { newEntry, receive } from '../../support/agent/ledger.ts';
import { PROJECT, TestFixture, waitFor, type Part } from '../../support/process.ts';
import { newSeed, runs, some } from '../../support/runs.ts';
import { Seeded } from '../../support/seeded.ts';

const random = new Seeded(newSeed());
const CUTS = runs(4, 100);
/** Cuts of one process. */
const LIFE = runs(2, 10);

const WRITER = path.join(PROJECT, 'test/faults/machine/journal-writer.ts');
const fixture = new TestFixture();
let folder: string;
let seeded: string;
beforeAll(() => {
  folder = fixture.folder('journal');
  seeded = path.join(folder, 'seeded.sqlite');
  const ledger = openLedger(seeded);
  ledger.write((tx) => receive(tx, newEntry('x')));
  ledger.foldLog();
  ledger.close();
});
afterAll(() => fixture.clear());

interface Place {
  ledger: string;
  journal: string;
}

let places = 0;
function newPlace(): Place {
  const place = path.join(folder, `place-${(places += 1)}`);
  mkdirSync(place);
  const ledger = path.join(place, 'ledger.sqlite');
  copyFileSync(seeded, ledger);
  addJournalKey(journalKeyFile(ledger));
  return { ledger, journal: path.join(place, 'journal') };
}

const answered = (part: Part): number[] => [...part.stdout.matchAll(/^answered (\d+)$/gm)].map(([, id]) => Number(id));
const notes = (reader: LedgerReader): Set<number> =>
  new Set(reader.all(sqlite.selectFrom('review_note').select('id')).map(({ id }) => id));

/** The journal alone, over the earlier ledger: every answered decision, and none twice. */
function checkLostLedger({ journal }: Place, told: readonly number[]): void {
  const restored = path.join(folder, 'restored.sqlite');
  copyFileSync(seeded, restored);
  const { records, fault } = readJournal(journal, 0, null);
  expect(fault).toBeNull();
  const ledger = openLedger(restored);
  try {
    ledger.write((tx) => records.forEach((kept) => makeAgain(tx, kept)));
    const there = notes(ledger);
    expect(told.filter((id) => !there.has(id))).toEqual([]);
    expect(there.size).toBe(records.reduce((sum, kept) => sum + recordIn(kept).changes.length, 0));
    expect(verifyChain(ledger)).toMatchObject({ ok: true });
  } finally {
    ledger.close();
    for (const end of ['', '-wal', '-shm']) rmSync(restored + end, { force: true });
  }
}

/** The next start: both disks are there, and the journal gets the ledger's records. */
async function checkNextStart(place: Place, told: readonly number[]): Promise<void> {
  const ledger = openLedger(place.ledger, { check: true });
  try {
    const log = { info: () => undefined, error: () => undefined };
    const kept = await DecisionJournal.open({ ledger, folder: place.journal, mode: 'require', log });
    await kept.stop();
    const there = notes(ledger);
    expect(told.filter((id) => !there.has(id))).toEqual([]);
    expect(readJournal(place.journal, 0, null)).toMatchObject({ end: placeOf(ledger), fault: null });
  } finally {
    ledger.close();
  }
  checkLostLedger(place, told);
}

/**
 * Removes, at a random byte, data that a power cut may destroy: neither answered nor synced. Records that left the
 * outbox were synced.
 */
function tear({ ledger: file, journal }: Place, told: readonly number[]): void {
  const last = readdirSync(journal).toSorted().at(-1);
  if (last === undefined) return;
  const ledger = openLedger(file);
  const first = ledger.first<{ seq: number }>({ sql: 'SELECT min(seq) AS seq FROM decision_outbox', parameters: [] });
  ledger.close();
  const segment = path.join(journal, last);
  const text = readFileSync(segment);
  const lines = text.toString('utf8').split('\n');
  const isSafe = (line: string): boolean =>
    line.includes(`{"seq":${(first?.seq ?? 1) - 1},`) ||
    told.some((id) => line.includes('"table":"review_note"') && line.includes(`"id":${id},`));
  const settled = lines.findLastIndex(isSafe);
  const safe = Buffer.byteLength(lines.slice(0, settled + 1).join('\n')) + (settled === -1 ? 0 : 1);
  if (safe >= text.length) return;
  const from = safe + random.below(text.length - safe);
  if (random.chance(0.5)) truncateSync(segment, from);
  else
    writeFileSync(
      segment,
      Buffer.concat([text.subarray(0, from), Buffer.alloc(text.length - from, random.below(256))]),
    );
}

function copyOf({ ledger, journal }: Place, name: string): Place {
  const copy = path.join(folder, name);
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy);
  for (const end of ['', '-wal']) copyFileSync(ledger + end, path.join(copy, `ledger.sqlite${end}`));
  copyFileSync(journalKeyFile(ledger), path.join(copy, 'journal.key'));
  cpSync(journal, path.join(copy, 'journal'), { recursive: true });
  return { ledger: path.join(copy, 'ledger.sqlite'), journal: path.join(copy, 'journal') };
}

const stands = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((thread) =>
    /\) T /.test(readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );

const start = (place: Place): Part => fixture.start(WRITER, { args: [place.ledger, place.journal] });

test('after a cut at any moment every answered decision is there', { timeout: 3_600_000 }, async () => {
  let place = newPlace();
  let checked = 0;
  for (let cut = 0; cut < CUTS; place = cut % (LIFE * 3) === 0 ? newPlace() : place) {
    const told = notesOf(place);
    const part = start(place);
    for (let each = 0; each < LIFE && cut < CUTS; each++, cut++) {
      await waitFor('an answer more', () => answered(part).length > each);
      await delay(random.below(40));
      // The signal is on its way when `kill` returns.
      part.child.kill('SIGSTOP');
      await waitFor('every thread to stand', () => stands(part.pid));
      const now = [...told, ...answered(part)];
      const copy = copyOf(place, 'cut');
      const size = statSync(`${copy.ledger}-wal`).size;
      if (each % 2 === 1) tear(copy, now);
      checkLostLedger(copy, now);
      await checkNextStart(copy, now);
      checked += size > 0 ? now.length : 0;
      // Only now: its writes meanwhile would have to be checked too.
      part.child.kill('SIGCONT');
    }
    part.child.kill('SIGKILL');
    await part.exited;
    await checkNextStart(place, [...told, ...answered(part)]);
  }
  expect(checked).toBeGreaterThan(CUTS);
});

function notesOf(place: Place): number[] {
  const ledger = openLedger(place.ledger);
  try {
    return [...notes(ledger)];
  } finally {
    ledger.close();
  }
}

const canTrace = spawnSync('strace', ['-D', '-f', '-o', '/dev/null', 'true']).status === 0;
const CALLS = ['fdatasync', 'fsync', 'write', 'pwrite64', 'openat'];

test.skipIf(!canTrace)(
  'SIGKILL at the N-th sync, write and opening of a file, life after life on one ledger (skipped without strace)',
  { timeout: 600_000 },
  async () => {
    const place = newPlace();
    const lives = runs(3, 20);
    const calls = some(lives, CALLS);
    for (let life = 0; life < lives; life++) {
      const told = notesOf(place);
      const call = calls[life % calls.length] ?? 'write';
      // The journal alone is traced by the files that it opens; the ledger by where SQLite writes.
      const when = call === 'fsync' ? 1 + random.below(3) : 1 + random.below(call === 'openat' ? 4 : 30);
      const paths = call === 'pwrite64' ? [] : ['-P', place.journal, ...journalFiles(place)];
      const part = fixture.start('-D', {
        program: 'strace',
        args: [
          ...[
            '-f',
            '-o',
            '/dev/null',
            ...paths,
            '-e',
            `trace=${call}`,
            '-e',
            `inject=${call}:signal=KILL:when=${when}`,
          ],
          ...[process.execPath, WRITER, place.ledger, place.journal],
        ],
      });
      await waitFor('its end or enough answers', () => part.exit !== null || answered(part).length > 60);
      part.child.kill('SIGKILL');
      await part.exited;
      await checkNextStart(place, [...told, ...answered(part)]);
    }
  },
);

/** strace names files before they are made: the next segments. */
function journalFiles({ journal }: Place): string[] {
  return Array.from({ length: 60 }, (_, n) =>
    path.join(journal, `segment-${String(n + 1).padStart(6, '0')}.jsonl`),
  ).flatMap((file) => ['-P', file]);
}
