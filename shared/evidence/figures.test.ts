import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromStored } from './evidence.ts';
import type { Evidence } from '../wire/bundle.ts';
import { factsOf, unitOf, type Fact, type Measured } from './facts.ts';
import { readFigures, type Figure } from './read-figures.ts';
import { FactIndex } from './fact-index.ts';
import { checkFigures, judge, MOST_COMPARISONS } from './support.ts';

/** A figure in one line: its kind and value. */
function told(figure: Figure): string {
  switch (figure.form) {
    case 'quantity': {
      const marks = [figure.isSigned ? 'signed' : null, figure.direction, figure.vague].filter((mark) => mark !== null);
      return [`${figure.text}=${figure.value}`, figure.kind, ...marks].join(' ');
    }
    case 'calendar':
      return `${figure.text}=${figure.year ?? '-'}/${figure.month ?? '-'}/${figure.day ?? '-'}`;
    case 'quarter':
      return `${figure.text}=Q${figure.quarter}`;
    case 'clock':
      return `${figure.text}=${figure.hours.join('|')}:${figure.minute ?? '-'}`;
  }
}

describe('the figures of a text', () => {
  test.each<[string, string[]]>([
    ['3.2% 올랐다', ['3.2%=3.2 percent up']],
    ['수익률은 +1.23%p다', ['+1.23%p=1.23 point signed']],
    ['−0.58%와 -0.34 %', ['−0.58%=-0.58 percent signed', '-0.34 %=-0.34 percent signed']],
    ['1조 2,000억원을 순매수', ['1조 2,000억원=1200000000000 money']],
    [
      '2,295억 원, 3만 5천원, 5천만원, 20조 원대로',
      [
        '2,295억 원=229500000000 money',
        '3만 5천원=35000 money',
        '5천만원=50000000 money',
        '20조 원=20000000000000 money about',
      ],
    ],
    ['1조 2,345억 6,789만 원', ['1조 2,345억 6,789만 원=1234567890000 money']],
    ['최근 5거래일', ['5거래일=5 count']],
    ['20거래일 평균의 2.2배로', ['20거래일=20 count', '2.2배=2.2 multiple']],
    ['약 3% 내린', ['3%=3 percent down about']],
    ['70% 이상, 5% 넘게 상승', ['70%=70 percent at-least', '5%=5 percent up at-least']],
    ['7bp 뛰면서', ['7bp=7 basis up']],
    ['1.5퍼센트포인트, 2퍼센트', ['1.5퍼센트포인트=1.5 point', '2퍼센트=2 percent']],
    ['배럴당 1.3달러', ['1.3달러=1.3 money']],
    ['2,650.12포인트', ['2,650.12포인트=2650.12 index']],
    ['1~2% 하락', ['1=1 percent down', '2%=2 percent down']],
    ['３．２％ 상승', ['３．２％=3.2 percent up']],
    ['2026년 11월 20일', ['2026년 11월 20일=2026/11/20']],
    ['11월 20일과 2026-11-19, 올해 3월', ['11월 20일=-/11/20', '2026-11-19=2026/11/19', '3월=-/3/-']],
    ['오전 10시 20분, 오후 2시 반, 9시', ['오전 10시 20분=10:20', '오후 2시 반=14:30', '9시=9|21:-']],
    ['3분기 실적', ['3분기=Q3']],
    ['선박 6척과 8주째', ['6척=6 count', '8주=8 count']],
  ])('%s', (text, figures) => {
    expect(readFigures(text).map(told)).toEqual(figures);
  });

  test.each([
    '코스피200과 S&P500, 나스닥100',
    'TOP10과 HBM3E',
    '국고채 10년물',
    '2차전지주가',
    '배당주와 배터리',
    'KODEX 200',
    '두 배로 늘었다',
  ])('names and words are none: %s', (text) => {
    expect(readFigures(text)).toEqual([]);
  });

  test("digits inside the fund's own name are not figures", () => {
    const text = 'TIME 미국나스닥100액티브 3%형이 2% 올랐다';
    expect(readFigures(text, ['TIME 미국나스닥100액티브 3%형']).map(told)).toEqual(['2%=2 percent up']);
  });

  test('invariant: figures are in order, do not overlap, and equal the text at their positions', () => {
    const piece = fc.constantFrom(
      '3.2%',
      '1조 2,000억원',
      '+',
      '-',
      '5',
      '거래일',
      ' ',
      '~',
      '11월',
      '20일',
      '오후 2시',
      '코스피200',
      '가',
      ',',
      '.',
      '％',
      '👨‍👩‍👧',
      '%p',
      '3분기',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        let last = 0;
        for (const figure of readFigures(text)) {
          expect(figure.start).toBeGreaterThanOrEqual(last);
          expect(figure.end).toBeGreaterThan(figure.start);
          expect(text.slice(figure.start, figure.end)).toBe(figure.text);
          last = figure.end;
        }
      }),
    );
  });
});

const MEASURED: Measured = {
  observed_return: -0.0123,
  trade_date: '2026-11-20',
  explanation_as_of: '2026-11-20T05:35:00.000Z',
  content_as_of: '2026-11-20T14:30:00+09:00',
};

function calculation(values: {
  arguments?: Record<string, unknown>;
  output?: Record<string, unknown>;
  title?: string;
}): Evidence {
  return {
    kind: 'CALCULATION',
    title: values.title ?? '기여도',
    source: '시세',
    published_at: null,
    as_of: null,
    tool_run_id: 't',
    item_ids: [],
    arguments: values.arguments ?? {},
    output: values.output ?? {},
    formula_latex: null,
    description: '',
  };
}

function news(title: string): Evidence {
  return { kind: 'NEWS', title, source: 'X', published_at: '2026-11-19T01:00:00.000Z' };
}

const UNITS_OF_TEXT = ['%', '%p', 'bp', '원', '억원', '조원', '배', '포인트', '건', '% 이상', '억원 가량', '% 하락'];

function states(text: string, ...evidences: Evidence[]): string[] {
  return statesOf(MEASURED, text, ...evidences);
}

function statesOf(measured: Measured, text: string, ...evidences: Evidence[]): string[] {
  const facts = factsOf(measured, evidences.map(fromStored));
  return checkFigures(text, [], facts).map(({ text: written, support }) =>
    `${written}: ${support.state} ${support.by?.path ?? ''}`.trim(),
  );
}

describe('the evidence behind a figure', () => {
  test('the measured return is a ratio, the text a rounded percentage', () => {
    expect(states('1.23% 하락')).toEqual(['1.23%: supported observed_return']);
    expect(states('1.2% 내린')).toEqual(['1.2%: supported observed_return']);
    expect(states('1.3% 하락')).toEqual(['1.3%: unsupported']);
  });

  /** The number of comparisons for a text. */
  function comparisons(text: string, facts: readonly Fact[]): number {
    let count = 0;
    checkFigures(text, [], facts, (figure, fact) => {
      count += 1;
      return judge(figure, fact);
    });
    return count;
  }

  test('thousands of figures and facts take as many comparisons as there are figures, so that nothing waits', () => {
    const output = { values_pct: Array.from({ length: 150_000 }, (_, index) => index + 0.5) };
    const facts = factsOf(MEASURED, [fromStored(calculation({ output }))]);
    const figures = Array.from({ length: 1_300 }, (_, index) => `${index}.5%`);
    expect(comparisons(figures.join(', '), facts)).toBe(1_300);
    expect(comparisons(`1.23% 하락 ${'2.5% '.repeat(1_300)}`, facts)).toBe(2);
  });

  test('with more evidence than can be compared the first figures count', () => {
    const facts = factsOf(MEASURED, [
      fromStored(calculation({ output: { values_pct: Array.from({ length: 1_000 }, () => -3) } })),
    ]);
    const contradicted = Array.from({ length: 300 }, (_, index) => `+${3 + index / 1_000}% 이상`).join(', ');
    expect(comparisons(contradicted, facts)).toBeLessThanOrEqual(MOST_COMPARISONS);
    expect(states('1.23% 하락')).toEqual(['1.23%: supported observed_return']);
  });

  test('invariant: no fact that says something about a figure is passed over', () => {
    const number = fc.oneof(fc.integer({ min: -300, max: 300 }), fc.double({ min: -400, max: 400, noNaN: true }));
    const name = fc.constantFrom('x_pct', 'x_pp', 'x_bp', 'x_krw', 'x_100m_krw', 'x_ratio', 'x', 'x_3d');
    const written = fc
      .tuple(fc.constantFrom('', '+', '-', '약 '), number, fc.nat(2), fc.constantFrom(...UNITS_OF_TEXT))
      .map(([sign, value, digits, unit]) => `${sign}${Math.abs(value).toFixed(digits)}${unit}`);
    const calendar = fc.constantFrom('11월 20일', '20일', '2026년 11월', '오후 2시 35분', '2시', '3분기', '2026-11-19');
    const title = fc.array(fc.oneof(written, calendar), { maxLength: 3 }).map((parts) => parts.join(', '));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(written, calendar), { maxLength: 6 }),
        fc.array(fc.tuple(name, number), { maxLength: 8 }),
        title,
        (figures, values, headline) => {
          const output = { values: values.map(([key, value]) => ({ [key]: value })) };
          const facts = factsOf(MEASURED, [fromStored(calculation({ output, title: headline }))]);
          const index = new FactIndex(facts);
          for (const figure of readFigures(figures.join(', '))) {
            const near = index.near(figure);
            for (const fact of facts) if (judge(figure, fact) !== null) expect(near).toContain(fact);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('a rise that was measured as a fall is reported', () => {
    expect(states('1.23% 상승')).toEqual(['1.23%: opposite observed_return']);
    expect(states('+1.23%')).toEqual(['+1.23%: opposite observed_return']);
    expect(states('-1.23%')).toEqual(['-1.23%: supported observed_return']);
  });

  test('a fall stored only as its size is not', () => {
    expect(states('0.45% 하락', calculation({ output: { effect_pct: 0.45 } }))).toEqual([
      '0.45%: supported output.effect_pct',
    ]);
  });

  test('% and %p are different units', () => {
    const evidence = calculation({ output: { contribution_pp: 0.55 } });
    expect(states('0.55%p를 기여', evidence)).toEqual(['0.55%p: supported output.contribution_pp']);
    expect(states('0.55% 기여', evidence)).toEqual(['0.55%: unit output.contribution_pp']);
  });

  test('amounts are compared at the precision of the text, in the unit of the name', () => {
    const evidence = calculation({ output: { net_buy_100m_krw: 12_000.4 }, arguments: { value_krw: 35_000 } });
    expect(states('1조 2,000억원', evidence)).toEqual(['1조 2,000억원: supported output.net_buy_100m_krw']);
    expect(states('1조 2,001억원', evidence)).toEqual(['1조 2,001억원: unsupported']);
    expect(states('3만 5천원', evidence)).toEqual(['3만 5천원: supported arguments.value_krw']);
  });

  test('약 and 이상 leave a margin, up to the last non-zero digit', () => {
    const evidence = calculation({ output: { net_100m_krw: 12_034, share_pct: 72.5 } });
    expect(states('1조 2,000억원', evidence)).toEqual(['1조 2,000억원: unsupported']);
    expect(states('약 1조 2,000억원', evidence)).toEqual(['1조 2,000억원: supported output.net_100m_krw']);
    expect(states('70% 이상', evidence)).toEqual(['70%: supported output.share_pct']);
    expect(states('80% 이상', evidence)).toEqual(['80%: unsupported']);
  });

  test('stored counts, list lengths and numbers in names support counts', () => {
    const evidence = calculation({
      arguments: { window: 5, average_20d: 1 },
      output: { parts: [{ x: 'a' }, { x: 'b' }, { x: 'c' }] },
    });
    expect(states('5거래일', evidence)).toEqual(['5거래일: supported arguments.window']);
    expect(states('20거래일', evidence)).toEqual(['20거래일: supported arguments.average_20d']);
    expect(states('3종목', evidence)).toEqual(['3종목: supported output.parts']);
    expect(states('4종목', evidence)).toEqual(['4종목: unsupported']);
  });

  test('a headline mentions a figure of the same things, and proves none', () => {
    expect(states('6척 수주', news('컨테이너선 6척 수주'))).toEqual(['6척: headline title']);
    expect(states('6건 수주', news('컨테이너선 6척 수주'))).toEqual(['6건: unsupported']);
    expect(states('3분기', news('3분기 잠정 실적'))).toEqual(['3분기: headline title']);
    expect(states('4분기', news('3분기 잠정 실적'))).toEqual(['4분기: unsupported']);
  });

  test("a measured value or a calculation proves or contradicts a headline's figure", () => {
    const title = news('반도체 ETF 1.23% 상승');
    expect(statesOf({ ...MEASURED, observed_return: 0.0123 }, '1.23% 상승', title)).toEqual([
      '1.23%: supported observed_return',
    ]);
    expect(states('1.23% 상승', title)).toEqual(['1.23%: opposite observed_return']);
    expect(states('6척', news('6척 수주'), calculation({ output: { ships: 6 } }))).toEqual([
      '6척: supported output.ships',
    ]);
    expect(states('0.5%', news('0.5% 기여'), calculation({ output: { contribution_pp: 0.5 } }))).toEqual([
      '0.5%: unit output.contribution_pp',
    ]);
    // The title of a calculation belongs to its result.
    expect(states('6척', calculation({ title: '수주 6척의 효과' }))).toEqual(['6척: supported title']);
  });

  test('dates and times are compared with those of the explanation and its evidence, in Korean time', () => {
    expect(states('11월 20일 오후 2시 30분', news('x'))).toEqual([
      '11월 20일: supported trade_date',
      '오후 2시 30분: supported content_as_of',
    ]);
    expect(states('19일', news('x'))).toEqual(['19일: supported published_at']);
    expect(states('11월 21일 오전 2시 30분', news('x'))).toEqual([
      '11월 21일: unsupported',
      '오전 2시 30분: unsupported',
    ]);
  });

  test('numbers stored as text count, and a path leads into lists', () => {
    const evidence = calculation({ output: { rows: [{ return_pct: '4.90' }] } });
    expect(states('4.9%', evidence)).toEqual(['4.9%: supported output.rows[0].return_pct']);
  });

  // Without a measured return, which may support the same figure by chance.
  const unmeasured = { ...MEASURED, observed_return: null };
  test('invariant: a figure written from a value is supported by it, and not by a value twice as large', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: 0, max: 3 }), (millis, digits) => {
        const value = millis / 1_000;
        const text = `${value.toFixed(digits)}%`;
        expect(statesOf(unmeasured, text, calculation({ output: { x_pct: value } }))).toEqual([
          `${text}: supported output.x_pct`,
        ]);
        const far = value * 2 + 10;
        expect(statesOf(unmeasured, text, calculation({ output: { x_pct: far } }))[0]).not.toContain('output.x_pct');
      }),
    );
  });
});

test.each([
  ['contribution_pp', { unit: 'point', factor: 1 }],
  ['returnPct', { unit: 'percent', factor: 1 }],
  ['turnover_100m_krw', { unit: 'money', factor: 1e8 }],
  ['price_krw', { unit: 'money', factor: 1 }],
  ['순매수_억원', { unit: 'money', factor: 1e8 }],
  ['yield_change_bp', { unit: 'basis', factor: 1 }],
  ['hit_ratio', { unit: 'ratio', factor: 1 }],
  ['support', { unit: 'none', factor: 1 }],
  ['window', { unit: 'none', factor: 1 }],
] as const)('the name %s tells its unit', (name, unit) => {
  expect(unitOf(name)).toEqual(unit);
});
