/** News of a day: collected all day long, most of it structured, some of it used. Everything is invented. */
import { between, later, pick, type Day } from './day.ts';

const PRESS: readonly [name: string, site: string][] = [
  ['나루금융신문', 'naru-finance'],
  ['서울마켓뉴스', 'seoul-market'],
  ['해담글로벌', 'haedam-global'],
  ['다온산업일보', 'daon-industry'],
  ['한강경제', 'hangang-economy'],
];
const SECTORS = [
  '반도체',
  '2차전지',
  '조선',
  '방산',
  '은행',
  '자동차',
  '원자력',
  '바이오',
  '게임',
  '로봇',
  '증권',
  '철강',
];
const HAPPENINGS = [
  '수출 지표 발표 앞두고 거래 한산',
  '업황 전망 엇갈려',
  '대형 계약 소식에 관심',
  '실적 발표 앞두고 관망',
  '정책 지원안 논의 시작',
  '원자재 가격 변동에 촉각',
  '외국인 수급 방향 바뀌어',
  '신제품 공개 일정 확정',
];
const STRUCTURED = 0.86;
const DISCLOSED_PER_DAY = 14;

/** A document that has become an assertion, and when. */
export interface Asserted {
  assertion: string;
  event: string;
  at: Date;
}

/** @returns the assertions that an explanation of that day may cite, in the order of time */
export function generateNews(day: Day): Asserted[] {
  const asserted: Asserted[] = [];
  const random = day.random('news');
  const perHour = day.trading ? 8 : 3;
  for (let hour = 7; hour <= 22; hour += 1) {
    for (let n = 0; n < perHour; n += 1) {
      const available = later(day.at(`${String(hour).padStart(2, '0')}06`), random.next() * 10);
      const [press, site] = pick(random, PRESS);
      const id = `pipe-news-${day.date}-${hour}-${n}`;
      const title = `${pick(random, SECTORS)} 업종, ${pick(random, HAPPENINGS)}`;
      const published = later(available, -between(random, 2, 50));
      const hasLink = random.next() < 0.95;
      day.add('document', available, {
        document_id: id,
        document_type: 'NEWS',
        title,
        source_code: press,
        published_at: published.toISOString(),
        source_uri: hasLink ? `https://${site}.example/articles/${id}` : null,
        news_id: id,
        available_at: available.toISOString(),
      });
      const structured = random.next() < STRUCTURED;
      const at = later(available, 4);
      if (structured) asserted.push(assert(day, id, 'NEWS', 'MARKET_NEWS', at));
    }
  }
  generateDisclosures(day);
  return asserted;
}

function assert(
  day: Day,
  document_id: string,
  source_class: 'NEWS' | 'DISCLOSURE',
  event_type_code: string,
  at: Date,
): Asserted {
  const assertion = `${document_id}-assertion`;
  const event = `${document_id}-event`;
  day.add('document_assertion', at, { document_assertion_id: assertion, document_id, available_at: at.toISOString() });
  day.add('source_event', at, {
    source_event_id: event,
    source_class,
    event_type_code,
    event_date: day.date,
    available_at: at.toISOString(),
  });
  return { assertion, event, at };
}

function generateDisclosures(day: Day): void {
  if (!day.trading) return;
  const random = day.random('disclosures');
  for (let n = 0; n < DISCLOSED_PER_DAY; n += 1) {
    const available = later(day.at('0821'), (n * 600) / DISCLOSED_PER_DAY + random.next() * 5);
    const id = `pipe-disclosure-${day.date}-${n}`;
    day.add('document', available, {
      document_id: id,
      document_type: 'DISCLOSURE',
      title: `${pick(random, SECTORS)} 업종 주요사항 보고`,
      source_code: '모의 전자공시',
      published_at: later(available, -3).toISOString(),
      source_uri: `https://disclosure.example/documents/${id}`,
      news_id: null,
      available_at: available.toISOString(),
    });
    assert(day, id, 'DISCLOSURE', 'REPORT', later(available, 3));
  }
}
