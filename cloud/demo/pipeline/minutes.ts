/** Intraday minutes of a trading day: the grid, an outage in it, the evening's judgement, extraction. */
import { later, between, pick, type Day } from './day.ts';

const OPEN = '0900';
const MINUTES = 390;

export function generateMinutes(day: Day): void {
  generateExtraction(day);
  if (!day.trading) return;
  const random = day.random('minutes');
  const session_id = sessionOf(day.date);
  const opens = day.at(OPEN);
  day.add('minute_session', day.at('0850'), {
    session_id,
    trading_date: day.date,
    market: 'KRX',
    opens_at: opens.toISOString(),
    closes_at: later(opens, MINUTES).toISOString(),
  });
  const outage = {
    begins: between(random, 20, MINUTES - 20),
    minutes: random.next() < 0.5 ? between(random, 1, 6) : 0,
  };
  const expected_instruments = day.world.etfs.length;
  let collected = 0;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const failed = random.next() < 0.03 ? between(random, 1, expected_instruments) : 0;
    if (minute >= outage.begins && minute < outage.begins + outage.minutes) continue;
    collected += 1;
    const at = later(opens, minute + 1 + 3 / 60);
    day.add('minute_collection', at, {
      session_id,
      minute_at: later(opens, minute).toISOString(),
      expected_instruments,
      collected_instruments: expected_instruments - failed,
      failed_instruments: failed,
      collected_at: at.toISOString(),
      error_code: failed === 0 ? null : 'TIMEOUT',
    });
  }
  const judged = day.at('1545');
  const gap = outage.minutes > 0;
  day.add('minute_daily_judgment', judged, {
    session_id,
    verdict: gap ? 'PARTIAL' : 'COMPLETE',
    judged_at: judged.toISOString(),
    minutes_expected: MINUTES,
    minutes_collected: collected,
    reason: gap ? `${outage.minutes}분 동안 응답이 없었습니다.` : null,
  });
}

export const sessionOf = (date: string): string => `KRX-${date}`;

const EXTRACTION_ERRORS = ['DEAD', 'TIMEOUT', 'TOO_LONG'];

/** Texts of the intraday minutes, extracted one by one; some extractions never succeed. */
function generateExtraction(day: Day): void {
  const random = day.random('extraction');
  const count = day.trading ? 60 : 12;
  for (let n = 0; n < count; n += 1) {
    const at = later(day.at('0905'), (n * 600) / count + random.next() * 5);
    const failed = random.next() < 0.12;
    const error = pick(random, EXTRACTION_ERRORS);
    day.add('intraday_extraction', at, {
      intraday_extraction_id: day.id('intraday_extraction'),
      extracted_at: at.toISOString(),
      document_id: null,
      error_code: failed ? error : null,
    });
  }
}
