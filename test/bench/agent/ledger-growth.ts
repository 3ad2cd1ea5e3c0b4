/** The size of a ledger after five years at 1,000 entries a day, and the archive's share of it. */
import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { pino } from 'pino';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { archiveRawBodies } from '../../../agent/intake/maintenance/archive.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { bodyOf, bundleOf } from '../../../agent/intake/testing.ts';
import { seedDemo } from '../../../agent/ledger/demo/seed.ts';
import { openLedger, type Ledger } from '../../../agent/ledger/storage/ledger.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { newEntry } from '../../../agent/ledger/testing.ts';
import { systemClock, systemIds } from '../../../shared/time/clock.ts';
import { ratioRow, valueRow, type Bench, type Row } from '../bench.ts';

/** Measured at this many entries and at twice as many; the difference gives the size per entry. */
const ENTRIES = 20_000;
/** Entries per bundle at 1,000 a day with a pull every minute of a trading day. */
const PER_BUNDLE = 3;
const FIVE_YEARS = 1_000 * 1_826;
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
      fill(ledger, (times - 1) * ENTRIES, times * ENTRIES);
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

function fill(ledger: Ledger, from: number, to: number): void {
  const log = pino({ level: 'silent' });
  const tenantId = 7;
  for (let cursor = Math.max(from, 0); cursor < to;) {
    ledger.write((tx) => {
      for (let bundles = 0; bundles < 200 && cursor < to; bundles++) {
        const count = Math.min(PER_BUNDLE, to - cursor);
        const entries = Array.from({ length: count }, (_, index) => entryAt(cursor + index + 1));
        const bundleId = systemIds.uuid();
        const body = bodyOf(bundleOf(cursor, entries, { bundle_id: bundleId, tenant_id: tenantId }));
        const range = { cursorFrom: cursor, cursorTo: cursor + count, bundleId, entryCount: count, tenantId };
        commitBundle(tx, { ...range, body, signature: null, statement: null, receivedAt: new Date().toISOString() });
        cursor += count;
      }
    });
  }
  while (applyNext({ ledger, screenEntry: createEntryScreening(log), clock: systemClock, log }));
}

function entryAt(cursor: number) {
  const ticker = String(100_000 + (cursor % 900));
  const day = new Date(Date.UTC(2026, 0, 1 + Math.floor(cursor / 1_000)));
  const summary =
    `KODEX ${ticker}은(는) ${(cursor % 300) / 100}% 움직였습니다. 반도체 업종의 수출이 ${cursor % 77}% 늘었다는 소식과 외국인의 ` +
    `순매수 ${cursor}주가 겹쳤습니다. 거래대금은 ${cursor * 3}억 원으로 한 달 평균을 웃돌았고, 편입 비중이 큰 종목들이 함께 올랐습니다.`;
  const result = {
    etf_ticker: ticker,
    etf_name: `KODEX ${ticker}`,
    trade_date: day.toISOString().slice(0, 10),
    explanation_as_of: new Date(day.getTime() + (cursor % 1_000) * 20_000).toISOString(),
    summary,
  };
  const evidences = Array.from({ length: 3 }, (_, index) => ({
    kind: 'NEWS' as const,
    title: `수출 증가 ${cursor}-${index}`,
    source: 'HANKANG',
    published_at: day.toISOString(),
    source_uri: `https://news.example/${cursor}/${index}`,
    news_id: `news-${cursor}-${index}`,
  }));
  return newEntry(`bench-${cursor}`, result, { cursor, evidences });
}

/** Used bytes without free pages, which SQLite reuses. */
function usedBytes(ledger: Ledger, file: string): number {
  ledger.foldLog();
  const db = new Database(file, { readonly: true });
  const pages =
    Number(db.pragma('freelist_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  db.close();
  return statSync(file).size - pages;
}
