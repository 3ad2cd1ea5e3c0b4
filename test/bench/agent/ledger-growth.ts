/** The size of a ledger after five years at 1,000 entries a day, and the archive's share of it. */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { archiveRawBodies } from '../../../agent/intake/backup/archive.ts';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { ratioRow, valueRow, type Bench, type Row } from '../bench.ts';
import { A_DAY, fillYears } from './year-ledger.ts';

/** Measured at this many entries and at twice as many; the difference gives the size per entry. */
const ENTRIES = 20_000;
export const FIVE_YEARS = A_DAY * 1_825;
const BEGINS = new Date('2026-01-01T00:00:00.000Z');
const GB = 1024 ** 3;

export const years: Bench = {
  name: 'years',
  about: `a ledger after ${FIVE_YEARS.toLocaleString('en')} entries, by what each takes after ${ENTRIES.toLocaleString('en')}`,
  run: (fixture) => {
    const file = `${fixture.folder('years')}/ledger.sqlite`;
    const ledger = openLedger(file);
    fixture.after(() => ledger.close());
    seedDemo(ledger, systemClock, systemIds);
    const at = [0, 1, 2].map((times) => {
      fillYears(ledger, { from: Math.max(0, times - 1) * ENTRIES, to: times * ENTRIES, begins: BEGINS });
      fixture.say(`${(times * ENTRIES).toLocaleString('en')} entries`);
      return usedBytes(ledger, file);
    });
    const [empty = 0, once = 0, twice = 0] = at;
    const each = (twice - once) / ENTRIES;
    const { bytes, archived } = archiveRawBodies(ledger, 0, new Date(Date.now() + 86_400_000));
    const left = usedBytes(ledger, file);
    const eachLeft = (left - empty) / (2 * ENTRIES);
    const rows: Row[] = [
      ratioRow('an entry of the second half over one of the first', 'bytes', each, (once - empty) / ENTRIES, {
        atMost: 1.1,
      }),
      valueRow('ledger after five years, everything in it', 'GB', (each * FIVE_YEARS) / GB, { atMost: 50 }),
      valueRow('the same, raw bodies in the archive', 'GB', (eachLeft * FIVE_YEARS) / GB, { atMost: 50 }),
      valueRow('archive beside it', 'GB', ((archived / (2 * ENTRIES)) * FIVE_YEARS) / GB, { atMost: 50 }),
      valueRow('raw bodies, archived over received', 'share', archived / bytes, { atMost: 0.8 }),
    ];
    return Promise.resolve(rows);
  },
};

/** Used bytes without free pages, which SQLite reuses. */
function usedBytes(ledger: Ledger, file: string): number {
  ledger.foldLog();
  const db = new Database(file, { readonly: true });
  const pages =
    Number(db.pragma('freelist_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  db.close();
  return statSync(file).size - pages;
}
