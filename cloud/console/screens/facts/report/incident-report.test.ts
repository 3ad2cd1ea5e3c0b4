/** A report is self-contained, holds every verdict, and can be judged again. */
import { describe, expect, test } from 'vitest';
import { compiledI18n } from '../../../../../shared/ui/i18n/compiled-messages.ts';
import { LANGUAGES, type Language } from '../../../../../shared/ui/i18n/languages.ts';
import { catalogues } from '../../../i18n/catalogues.ts';
import type { TaskImpact } from '../../../../../shared/wire/operator/operator.ts';
import { judge, RULES } from '../../../rules/engine.ts';
import type { ReadFacts, Sentence, Verdict } from '../../../rules/rule.ts';
import { placeWords } from '../values/fact-words.ts';
import { MOST_FACTS } from '../values/pointers.ts';
import { readFactsText } from './facts-file.ts';
import { reportNameOf, writeReport, type Reported } from './incident-report.ts';

const HOSTILE = '</pre><script>alert("&amp;")</script>';
const facts: ReadFacts = {
  meta: { db: '2026-11-20T07:00:00.000Z', today: '2026-11-20', cloud: null },
  runs: [
    {
      id: HOSTILE,
      lane: 'market',
      tradingDate: null,
      ledgerStatus: 'FAILED',
      ledgerUpdated: '2026-11-20T06:00:00.000Z',
      deadline: null,
      cloudStatus: null,
      cloudStop: null,
    },
  ],
  tasks: [],
  queues: [{ name: 'work', visible: 9, inFlight: 0, dlq: 0 }],
};
const previous: ReadFacts = {
  meta: { db: '2026-11-19T07:00:00.000Z', today: '2026-11-19' },
  queues: [{ name: 'work', visible: 2, inFlight: 0, dlq: 0 }],
};
const ADDRESS = 'http://127.0.0.1:4100/facts?date=2026-11-20&against=2026-11-19';
const reported: Reported = {
  facts,
  previous,
  verdicts: judge(facts, previous),
  impacts: null,
  file: null,
  address: ADDRESS,
  at: new Date('2026-11-20T07:01:00Z'),
};

function write(language: Language, changes: Partial<Reported> = {}): string {
  const i18n = compiledI18n(catalogues, language);
  const text = (id: string, values?: Readonly<Record<string, string | number>>): string => i18n._(id, values);
  const sentenceOf = ({ id, values }: Sentence): string => text(id, values);
  return writeReport({ ...reported, ...changes }, { language, text, sentenceOf });
}

/** The visible text of a page, its entities decoded. */
const wordsOf = (page: string): string =>
  page
    .replaceAll(/<style>[^<]*<\/style>|<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

describe.each(LANGUAGES)('a report in %s', (language) => {
  const page = write(language);
  const words = wordsOf(page);
  const i18n = compiledI18n(catalogues, language);
  const text = (id: string, values?: Readonly<Record<string, string | number>>): string => i18n._(id, values);
  test('lists every verdict with its severity, rule and version, and each fact with its value', () => {
    expect(new Set(reported.verdicts.map(({ severity }) => severity)).size).toBe(5);
    for (const { sentence, rule, version, severity, facts: read } of reported.verdicts) {
      expect(words).toContain(`${i18n._(`severity.${severity}`)} ${i18n._(sentence.id, sentence.values)}`);
      expect(words).toContain(i18n._('verdicts.rule', { rule, version }));
      for (const pointer of read) expect(words).toContain(`${placeWords(text, pointer.replace('previous', ''))} `);
    }
    expect(page.match(/<section>/g)).toHaveLength(reported.verdicts.length);
    const waiting = `work · ${text('facts.axis.queues')} · ${text('facts.field.visible')}`;
    expect(words).toContain(`${waiting} 9 ${i18n._('verdict.viewed', { day: '2026-11-20' })}`);
    expect(words).toContain(
      `${waiting} 2 ${i18n._('verdict.earlier', { day: '2026-11-19', at: '2026-11-19 16:00:00' })}`,
    );
  });
  test('names the day, its clocks with their zone, its address, and the unmeasured axes', () => {
    expect(page).toContain(`<html lang="${language}">`);
    expect(words).toContain(`${i18n._('facts.clock.db')} 2026-11-20 16:00:00 KST`);
    expect(words).toContain(`${i18n._('facts.clock.cloud')} ${i18n._('facts.null')}`);
    expect(words).toContain(`${i18n._('report.at')} 2026-11-20 16:01:00 KST`);
    expect(words).toContain(`${i18n._('report.address')} ${ADDRESS}`);
    expect(words).toContain(
      `${i18n._('unseen.absent')} ${(['slots', 'datasets', 'outputs', 'boundary', 'feeds', 'etfLedger', 'lanes'] as const).map((axis) => text(`facts.axis.${axis}`)).join(' ')}`,
    );
    expect(words).toContain(`${i18n._('unseen.null')} ${text('facts.clock.cloud')}`);
  });
});

test.each(LANGUAGES)(
  'a report of 2,000 failed runs with long messages and no counts stays below 2 MB in %s, and opens as all of them',
  (language) => {
    const [first] = facts.runs ?? [];
    if (first === undefined) throw new Error('no run');
    const key = (n: number): string => `lane_${n % 40}_with_a_long_name/2026-11-20/${n}`;
    const numbers = Array.from({ length: 2_000 }, (_, n) => n);
    const task = {
      attempts: 1,
      recordsOut: null,
      unsupportedRecords: null,
      failedRecords: null,
      completenessExpected: null,
      completenessActual: null,
    };
    const failedTask = {
      taskKey: 'raw',
      stage: 'raw',
      dataset: 'd',
      required: true,
      outcome: 'FAILED' as const,
      errorCode: 'HTTP_503',
      errorMessage: 'The provider answered 503.\n'.repeat(40),
      at: '2026-11-20T06:00:00.000Z',
      recovery: null,
    };
    const flood: ReadFacts = {
      ...facts,
      runs: numbers.map((n) => ({ ...first, id: key(n) })),
      tasks: numbers.flatMap((n) => ['a', 'b', 'c'].map((dataset) => ({ ...task, runId: key(n), dataset }))),
      failures: {
        asOf: facts.meta.db,
        date: '2026-11-20',
        runs: numbers.map((n) => ({
          runKey: key(n),
          lane: 'l',
          date: '2026-11-20',
          status: 'FAILED',
          tasks: [failedTask],
        })),
      },
    };
    const verdicts = judge(flood, previous);
    expect(verdicts.length).toBeGreaterThan(2_000);
    const page = write(language, { facts: flood, verdicts });
    expect(new TextEncoder().encode(page).length).toBeLessThan(2_000_000);
    const text = compiledI18n(catalogues, language);
    expect(wordsOf(page)).toContain(text._('report.moreVerdicts', { count: 2_000 - 20 }));
    const [unread = 0] = verdicts.filter(({ rule }) => rule === 'task-incomplete').map((one) => one.facts.length);
    expect(unread).toBeGreaterThan(10_000);
    expect(wordsOf(page)).toContain(text._('verdict.facts.more', { count: unread - MOST_FACTS }));
    expect(wordsOf(page)).toContain(text._('report.moreFailures', { count: 1_800 }));
    expect(readFactsText(page)).toEqual(flood);
    expect(() => readFactsText(page.replace('>gzip,', '>gzip,!'))).toThrow('noJson');
  },
);

test.each(LANGUAGES)('slots without a run are told where no task failed, in %s', (language) => {
  const i18n = compiledI18n(catalogues, language);
  const missed = { id: 's', lane: 'news', plannedFor: '2026-11-20T05:00:00.000Z' };
  const page = write(language, {
    facts: { ...facts, slots: [missed], failures: { asOf: facts.meta.db, date: '2026-11-20', runs: [] } },
  });
  expect(wordsOf(page)).toContain(i18n._('report.missed', { count: 1 }));
  expect(wordsOf(page)).not.toContain(i18n._('failures.empty'));
});

describe('a failure and its effects', () => {
  const failed = {
    taskKey: 'raw-financials',
    stage: 'raw',
    dataset: 'financials',
    required: true,
    outcome: 'FAILED' as const,
    errorCode: 'HTTP_503',
    errorMessage: '<down>',
    at: '2026-11-19T21:10:00.000Z',
    recovery: null,
  };
  const run = { runKey: 'source_observation/2026-11-20/0600', lane: 'source_observation', date: '2026-11-20' };
  const failures = {
    asOf: facts.meta.db,
    date: '2026-11-20',
    runs: [
      { ...run, status: 'FAILED', tasks: [failed, { ...failed, taskKey: 'normalize', outcome: 'MISSING' as const }] },
    ],
  };
  const tenants = {
    items: [
      { tenantId: 1, name: '한국증권', waiting: 2, waitingSince: '2026-11-20T05:00:00.000Z', hasNamesake: false },
    ],
    total: 1,
    neverConnected: 0,
  };
  const impact: TaskImpact = {
    asOf: facts.meta.db,
    run: { ...run, status: 'FAILED' },
    task: failed,
    blocked: ['normalize'],
    lineage: { basis: 'NOT_RECORDED', from: '2026-11-20', to: '2026-11-20' },
    etfs: { items: [{ instrumentId: 'i', ticker: '069500', name: 'KODEX 200', uses: 1, analyses: 1 }], total: 1 },
    analyses: { items: [], total: 3, without: 2 },
    tenants,
  };
  const withdrawals = {
    asOf: facts.meta.db,
    everIssued: true,
    analyses: { items: [], total: 0 },
    tenants: {
      ...tenants,
      items: tenants.items.map((one) => ({ ...one, waitingSince: one.waitingSince, overdue: 1 })),
    },
  };
  const whole: ReadFacts = { ...facts, failures, withdrawals };
  test.each(LANGUAGES)(
    'appear in the report in %s: task, reason, ETF, tenant, rules with their version',
    (language) => {
      const i18n = compiledI18n(catalogues, language);
      const page = write(language, { facts: whole, verdicts: judge(whole, previous), impacts: [impact] });
      const words = wordsOf(page);
      expect(words).toContain('source_observation/2026-11-20/0600 raw-financials financials');
      expect(words).toContain('HTTP_503 <down> 2026-11-20 06:10:00');
      expect(words).toContain(i18n._('impact.etfsBound', { count: 1 }));
      expect(words).toContain('069500 KODEX 200');
      expect(words).toContain(i18n._('impact.without', { count: 2 }));
      expect(words).toContain('한국증권 2 2 1 2026-11-20 14:00:00');
      for (const { id, version, meaning } of RULES) expect(words).toContain(`${id} ${version} ${i18n._(meaning)}`);
      // Values of the report's moment are marked: waiting tenants, queues, and the verdicts about them.
      expect(words).toContain(`${i18n._('facts.axis.queues')} ${i18n._('verdicts.current')}`);
      expect(words).toContain(`${i18n._('verdicts.current')} ${i18n._('impact.tenants.note')}`);
      expect(readFactsText(page)).toEqual(whole);
    },
  );
  describe.each(LANGUAGES)('a count that was not read is a dash with its reason, in %s', (language) => {
    const i18n = compiledI18n(catalogues, language);
    const told = (changes: Partial<ReadFacts>, impacts: TaskImpact[] | null): string =>
      wordsOf(write(language, { facts: { ...facts, ...changes }, impacts }));

    test('withdrawals of an older server, and effects that could not be read', () => {
      const noWithdrawals = told({ failures }, [impact]);
      expect(noWithdrawals).toContain('한국증권 2 – – 2026-11-20 14:00:00');
      expect(noWithdrawals).toContain(i18n._('report.tenants.unread'));
      expect(told({ failures, withdrawals }, null)).toContain('한국증권 – 2 1 2026-11-20 14:00:00');
      const both = told({ failures, withdrawals }, [impact]);
      expect(both).not.toContain(i18n._('report.tenants.unread'));
    });

    test('a tenant beyond the listed ones, and tasks beyond the first twenty', () => {
      const other = {
        tenantId: 2,
        name: '서울증권',
        waiting: 2,
        waitingSince: '2026-11-20T05:00:00.000Z',
        hasNamesake: false,
      };
      const listed = { ...withdrawals, tenants: withdrawals.tenants };
      const one = { ...impact, tenants: { items: [other], total: 1, neverConnected: 0 } };
      // Every tenant with a withdrawal is listed: this one has none.
      expect(told({ failures, withdrawals: listed }, [one])).toContain('서울증권 2 0 0');
      const capped = { ...listed, tenants: { ...listed.tenants, total: 300 } };
      expect(told({ failures, withdrawals: capped }, [one])).toContain('서울증권 2 – –');
      const many = {
        ...failures,
        runs: [
          { ...run, status: 'FAILED', tasks: Array.from({ length: 30 }, (_, n) => ({ ...failed, taskKey: `t${n}` })) },
        ],
      };
      const some = told({ failures: many, withdrawals: listed }, [one]);
      expect(some).toContain(i18n._('report.impacts.some', { shown: 1, total: 30 }));
      expect(some).toContain('한국증권 – 2 1');
    });
  });
  test('of a saved file are not claimed', () => {
    const words = wordsOf(write('en', { facts: { ...facts, failures }, impacts: null, file: 'saved.json' }));
    expect(words).toContain('raw-financials');
    expect(words).toContain('A report saved from the server’s facts does.');
  });
});

test('a report opens as the facts that it was made of, for any content', () => {
  const page = write('ko');
  expect(readFactsText(page)).toEqual(facts);
  expect(judge(readFactsText(page), previous)).toEqual(reported.verdicts);
  expect(page).not.toContain('<script');
  expect(reportNameOf(facts)).toBe('causeway-report-2026-11-20.html');
  expect(() => readFactsText(page.replace('causeway-facts', 'other'))).toThrow('noJson');
});

/** The same with another text in each place without a day, time or lane. */
function worded(value: unknown, word: string): unknown {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d|^market$/.test(value) ? value : word;
  if (Array.isArray(value)) return value.map((one) => worded(one, word));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, worded(one, word)]));
}

test('hostile words in the facts change no tag of the page, and no script may run in it', () => {
  const whole: ReadFacts = {
    ...facts,
    tasks: [
      {
        runId: 'r',
        dataset: 'd',
        attempts: 1,
        recordsOut: 0,
        unsupportedRecords: 0,
        failedRecords: 9,
        completenessExpected: 2,
        completenessActual: 1,
      },
    ],
    datasets: [
      { id: 'd', contract: true, expectedAsOf: null, actualAsOf: null, collectedAt: null, unverifiable: 'reason' },
    ],
    outputs: [{ id: 'o', label: 'l', today: 0, base: 9, unit: 'u' }],
    etfLedger: { rows: [{ etf: 'e', name: 'n', triggered: true, outcome: 'FAILED', error: null }] },
  };
  const tagsOf = (word: string): string[] => {
    const [now, before] = [worded(whole, word), worded(previous, word)] as [ReadFacts, ReadFacts];
    const page = write('en', { facts: now, previous: before, verdicts: judge(now, before), file: word, address: null });
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    return page.match(/<[^>]*>/g) ?? [];
  };
  expect(tagsOf(`${HOSTILE}'"><img src=x onerror=alert(1)>`)).toEqual(tagsOf('word'));
});

test('of a file without earlier facts it claims neither', () => {
  const words = wordsOf(write('en', { file: 'saved.json', address: null, previous: null, verdicts: judge(facts) }));
  expect(words).toContain('Source file saved.json Compared with none');
  expect(words).not.toContain('/facts?date=');
  expect(words).not.toContain('Facts compared with');
});

test.each(LANGUAGES)(
  'the tally counts lines as the tiles of the screen do, and names what they hold, in %s',
  (language) => {
    const i18n = compiledI18n(catalogues, language);
    const silent = (lane: string): Verdict => ({
      rule: 'lane-silent',
      version: 1,
      severity: 'BAD',
      sentence: { id: 'verdict.laneSilent.since', values: { silentLane: lane, since: '2026-11-16 09:00', usual: 4 } },
      facts: [],
    });
    const verdicts = ['a', 'b', 'c', 'd', 'e'].map(silent);
    const words = wordsOf(write(language, { verdicts }));
    expect(words).toContain(`${i18n._('severity.BAD')} 1 ▲`);
    expect(words).toContain(i18n._('verdicts.count', { total: 5, lines: 1 }));
    expect(words).toContain(`${i18n._('severity.BAD')} ${i18n._('verdicts.group', { count: 5 })}`);
    expect(write(language, { verdicts }).match(/<section>/g)).toHaveLength(5);
  },
);
