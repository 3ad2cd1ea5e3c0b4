/**
 * A ledger of years at the contract's peak of 1,000 entries a day, filled by the Intake's own functions, so that every
 * check finds it sound: bundles of three entries, and where asked a fiftieth of the texts decided by a reviewer, who
 * dismisses the word of some as a false hit.
 */
import { pino } from 'pino';
import { applyNext } from '../../../agent/intake/apply/apply.ts';
import { createEntryScreening } from '../../../agent/intake/apply/screening.ts';
import { bodyOf, bundleOf } from '../../support/agent/intake.ts';
import type { Actor } from '../../../agent/ledger/audit/audit.ts';
import { keepBlocks } from '../../../agent/ledger/audit/log-tree.ts';
import { explanationId } from '../../../agent/ledger/explanations/explanations.ts';
import { lastChecks } from '../../../agent/ledger/explanations/screenings.ts';
import { commitBundle } from '../../../agent/ledger/inbox/raw-bundles.ts';
import { dismissHit } from '../../../agent/ledger/review/dismissed-hits.ts';
import type { Ledger, LedgerReader } from '../../../agent/ledger/storage/ledger.ts';
import { sqlite } from '../../../agent/ledger/storage/query.ts';
import { newEntry } from '../../support/agent/ledger.ts';
import { applyMove } from '../../../agent/ledger/transitions.ts';
import { systemIds } from '../../../shared/time/clock.ts';

export const A_DAY = 1_000;
/** Entries per bundle at 1,000 a day with a pull every minute of a trading day. */
const PER_BUNDLE = 3;
/** Entries that are committed, applied and decided together. */
const CHUNK = 6_000;
/** One text in so many holds a word that a person must look at. */
const REVIEWED_EVERY = 50;
/** One text in so many waits still: 3,041 in five years. */
const WAITING_EVERY = 600;
/** One decided text in so many has a word that the reviewer dismisses as a false hit. */
const DISMISSED_EVERY = 10;
const DAY_MS = 86_400_000;

export interface FillOrder {
  from: number;
  to: number;
  /** The day of the first entry. */
  begins: Date;
  /** Whether a fiftieth of the texts needs a person, who has decided about all but a twelfth of them. */
  isReviewed?: boolean;
}

/** Adds the entries after `from` up to `to`. */
export function fillYears(ledger: Ledger, order: FillOrder, say: (line: string) => void = () => undefined): void {
  const log = pino({ level: 'silent' });
  const tenantId = 7;
  const reviewer = reviewerOf(ledger);
  const screenEntry = createEntryScreening(log);
  for (let cursor = order.from; cursor < order.to;) {
    const end = Math.min(cursor + CHUNK, order.to);
    const now = instantOf(order, end);
    const waiting: string[] = [];
    ledger.write((tx) => {
      while (cursor < end) {
        const count = Math.min(PER_BUNDLE, end - cursor);
        const entries = Array.from({ length: count }, (_, index) => {
          const number = cursor + index + 1;
          const isReviewed = order.isReviewed === true && number % REVIEWED_EVERY === 0;
          if (isReviewed && number % WAITING_EVERY !== 0) waiting.push(idOf(number));
          return entryAt(order, number, isReviewed);
        });
        const bundleId = systemIds.uuid();
        const body = bodyOf(bundleOf(cursor, entries, { bundle_id: bundleId, tenant_id: tenantId }));
        const range = { cursorFrom: cursor, cursorTo: cursor + count, bundleId, entryCount: count, tenantId };
        const receivedAt = instantOf(order, cursor + count).toISOString();
        commitBundle(tx, { ...range, body, signature: null, statement: null, receivedAt });
        cursor += count;
      }
    });
    while (applyNext({ ledger, screenEntry, clock: { now: () => now }, log }));
    ledger.write((tx) => {
      const at = new Date(now.getTime() + 1_000).toISOString();
      for (const [index, id] of waiting.entries()) {
        if (reviewer === null) continue;
        const common = { id: explanationId(id), actor: reviewer, at };
        if (index % 5 === 0) applyMove(tx, { ...common, move: 'reject', reason: '단정적 판단' });
        else {
          const hit = index % DISMISSED_EVERY === 1 ? hitOf(tx, common.id) : undefined;
          if (hit !== undefined) dismissHit(tx, { ...common, wordId: hit.wordId, reason: '사실의 서술' });
          applyMove(tx, { ...common, move: 'approve', comment: null });
        }
      }
    });
    while (ledger.write(keepBlocks));
    if (Math.floor(cursor / 100_000) > Math.floor((cursor - CHUNK) / 100_000))
      say(`${cursor.toLocaleString('en')} entries`);
  }
}

type Reviewer = Extract<Actor, { kind: 'MEMBER' }>;

function reviewerOf(ledger: Ledger): Reviewer | null {
  const member = ledger.first(
    sqlite.selectFrom('member').select(['id', 'display_name']).where('username', '=', 'reviewer'),
  );
  if (member === undefined) return null;
  return { kind: 'MEMBER', id: member.id, displayName: member.display_name, role: 'COMPLIANCE_REVIEWER' };
}

const hitOf = (reader: LedgerReader, id: string): { wordId: string } | undefined =>
  lastChecks(reader, id).flatMap(({ hits }) => hits)[0];

export const idOf = (cursor: number): string => `bench-${cursor}`;

const instantOf = ({ begins }: FillOrder, cursor: number): Date =>
  new Date(begins.getTime() + (cursor / A_DAY) * DAY_MS);

function entryAt(order: FillOrder, cursor: number, isReviewed: boolean) {
  const ticker = String(100_000 + (cursor % 900));
  const day = new Date(order.begins.getTime() + Math.floor(cursor / A_DAY) * DAY_MS);
  const summary =
    `KODEX ${ticker}은(는) ${(cursor % 300) / 100}% 움직였습니다. 반도체 업종의 수출이 ${cursor % 77}% 늘었다는 소식과 외국인의 ` +
    `순매수 ${cursor}주가 겹쳤습니다. 거래대금은 ${cursor * 3}억 원으로 한 달 평균을 웃돌았고, 편입 비중이 큰 종목들이 함께 올랐습니다.` +
    (isReviewed ? ' 지금은 매수 시점입니다.' : '');
  const result = {
    etf_ticker: ticker,
    etf_name: `KODEX ${ticker}`,
    trade_date: day.toISOString().slice(0, 10),
    explanation_as_of: new Date(day.getTime() + (cursor % A_DAY) * 20_000).toISOString(),
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
  return newEntry(idOf(cursor), result, { cursor, evidences });
}
