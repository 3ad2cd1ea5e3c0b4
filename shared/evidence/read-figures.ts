/**
 * The figures that a Korean text states: percentages, amounts, counts, dates, times of day. Names with digits (코스피200,
 * S&P500, TOP10, 10년물, the fund's own name) are not figures, and neither is a whole number without a unit. Numbers
 * written as words (두 배, 나흘) are not read.
 */

/** The kind of a quantity. `point` is a difference of percentages, `index` a level of an index. */
export type QuantityKind = 'percent' | 'point' | 'basis' | 'money' | 'index' | 'multiple' | 'count';

interface Placed {
  /** UTF-16 positions in the text, end exclusive. */
  start: number;
  end: number;
  /** The text between them. */
  text: string;
}

export interface Quantity extends Placed {
  form: 'quantity';
  kind: QuantityKind;
  /** With its written sign; amounts in whole won, dollars and so on: 1조 2,000억원 is 1.2e12. */
  value: number;
  /** The worth of its last written digit: 0.01 for 3.25%, 1e8 for 1조 2,000억원. */
  step: number;
  /** The worth of its last digit that is not 0: 1e11 for 1조 2,000억원. */
  coarseStep: number;
  isSigned: boolean;
  /** The direction in the words after it: 상승, 올랐다; 하락, 내렸다. */
  direction: 'up' | 'down' | null;
  /** 약, 가량: about; 이상, 넘게: at least. */
  vague: 'about' | 'at-least' | null;
  /** The unit of a count, the currency of an amount: 거래일, 원. */
  unit: string;
}

/** A date as far as it is written; missing parts are null. */
export interface CalendarFigure extends Placed {
  form: 'calendar';
  year: number | null;
  month: number | null;
  day: number | null;
}

/** 3분기. */
export interface QuarterFigure extends Placed {
  form: 'quarter';
  quarter: number;
}

/** A time of day. Without 오전 or 오후, an hour below 12 may be either. */
export interface ClockFigure extends Placed {
  form: 'clock';
  hours: readonly number[];
  /** Null if only the hour is written. */
  minute: number | null;
}

export type Figure = Quantity | CalendarFigure | QuarterFigure | ClockFigure;

const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?`;
const MYRIADS = '[천백십]?[조억만]|[천백](?=\\s?(?:원|달러|유로|위안|엔|주|명|개|건|톤|대))';
const AMOUNT = String.raw`${NUMBER}\s?(?:${MYRIADS})(?:\s?${NUMBER}\s?(?:${MYRIADS}))*(?:\s?${NUMBER}(?=\s?원))?|${NUMBER}`;

/** Units in the order of matching. Word borders keep 배당, 원유, 대비 and the like from being units. */
const UNITS: readonly (readonly [QuantityKind, string])[] = [
  ['point', String.raw`%\s?[pP](?![a-zA-Z])|%\s?포인트|퍼센트\s?포인트`],
  ['percent', '%|퍼센트'],
  ['basis', String.raw`bps?(?![a-zA-Z])|베이시스\s?포인트`],
  ['money', '원(?!유|자|료|천|화)|달러|유로|위안|엔(?!비|진|터|지)'],
  ['index', '포인트'],
  ['multiple', '배(?!당|럴|터|치|정|송|경|분)'],
  [
    'count',
    '거래일|영업일|개월|개국|개사|개|종목|계약|배럴|년|월물|일|주(?=째|간|\\s?연속|\\s?만|를|가|당|\\b)|건|곳|회|명|척|기(?=를|가|의|\\s)|위(?=를|에|로|\\s)|톤|시간|분(?!기|배|석|야|할)|초(?=간|\\s)',
  ],
];
const UNIT = UNITS.map(([kind, pattern]) => `(?<${kind}>${pattern})`).join('|');

const SIGN = '[+\\-\u2212\u2013\u25B3]';
const QUANTITY = new RegExp(
  `(?<sign>${SIGN})?(?<first>${AMOUNT})(?:\\s?[~\u223C\u301C]\\s?(?<second>${AMOUNT}))?\\s?(?:${UNIT})?`,
  'gu',
);
const CALENDAR =
  /(?:(?<year>(?:19|20)\d{2})(?:년|[.\-/])\s?)?(?<month>1[0-2]|0?[1-9])(?:월|[.\-/])\s?(?<day>3[01]|[12]\d|0?[1-9])(?:일(?!간|째)|(?!\d|%|[.,]\d))|(?<onlyYear>(?:19|20)\d{2})년(?!물|간|째)|(?<onlyMonth>1[0-2]|[1-9])월(?!물)|(?<!\d|\d[.,])(?<onlyDay>3[01]|[12]\d|[1-9])일(?!간|째|선|\s?(?:이동|평균|연속|만|동안))/gu;
const QUARTER = /(?<quarter>[1-4])\s?분기/gu;
const CLOCK =
  /(?<half>오전|오후)?\s?(?<!\d)(?<hour>2[0-3]|1\d|\d)시(?!간|장)(?:\s?(?<minute>[0-5]?\d)분|\s?(?<halfHour>반))?/gu;

/** Names in the field that contain a number. */
const NAMES =
  /(?:코스피|코스닥|KOSPI|KOSDAQ|나스닥|S&P|닛케이|니케이|러셀|다우|KRX|STOXX|CSI|MSCI)\s?\d+|(?<!\d)\d+년물|\d차\s?전지|제\d+조/giu;
const LETTER = /[\p{L}&]/u;

const UP =
  /^\s*(?:(?:가량|정도|까지|넘게)\s*)?(?:(?:더|크게|소폭)\s*)?(?:상승|급등|강세|오르|오른|올라|올랐|뛰|뛴|증가|늘)/u;
const DOWN =
  /^\s*(?:(?:가량|정도|까지|넘게)\s*)?(?:(?:더|크게|소폭)\s*)?(?:하락|급락|약세|내리|내린|내려|내렸|떨어|밀리|밀렸|빠졌|빠진|감소|줄)/u;
const ABOUT_BEFORE = /(?:약|대략|거의)\s*$/u;
const ABOUT_BEHIND = /^\s*(?:가량|정도|안팎|내외|남짓|여(?![\p{L}])|대(?=로|에|의|\s))/u;
const AT_LEAST_BEHIND = /^\s*(?:이상|넘|을 넘|를 넘|웃도|을 웃|를 웃|초과)/u;

/**
 * Every figure of a text in order, without overlaps. @param names names whose digits mean nothing, for instance the
 * fund's
 */
export function readFigures(text: string, names: readonly string[] = []): Figure[] {
  const plain = text.replaceAll(/[\uFF01-\uFF5E]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
  let left = blank(plain, namedPlaces(plain, names));
  const found: Figure[] = [];
  for (const read of [readClocks, readQuarters, readCalendar, readQuantities]) {
    const figures = read(left, text);
    found.push(...figures);
    left = blank(left, figures);
  }
  return found.sort((one, other) => one.start - other.start);
}

type Place = Pick<Placed, 'start' | 'end'>;

/** Blanks places of a text, so that they are not read again. */
function blank(text: string, places: readonly Place[]): string {
  const signs = [...places].reduce((units, { start, end }) => units.fill(' ', start, end), text.split(''));
  return signs.join('');
}

function namedPlaces(text: string, names: readonly string[]): Place[] {
  const places = [...text.matchAll(NAMES)].map(placeOf);
  for (const name of names.filter((one) => /\d/.test(one))) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length))
      places.push({ start: at, end: at + name.length });
  }
  return places;
}

function placeOf(match: RegExpExecArray): Place {
  return { start: match.index, end: match.index + match[0].length };
}

/** A match without white space at its ends, in its original spelling. */
function placed(match: RegExpExecArray, written: string): Placed {
  const start = match.index + (match[0].length - match[0].trimStart().length);
  const end = start + match[0].trim().length;
  return { start, end, text: written.slice(start, end) };
}

function readClocks(text: string, written: string): ClockFigure[] {
  return [...text.matchAll(CLOCK)].map((match) => {
    const { half, hour, minute, halfHour } = match.groups ?? {};
    const stated = Number(hour);
    const hours =
      half === '오후'
        ? [(stated % 12) + 12]
        : half === '오전'
          ? [stated % 12]
          : stated < 12
            ? [stated, stated + 12]
            : [stated];
    return {
      form: 'clock',
      ...placed(match, written),
      hours,
      minute: halfHour !== undefined ? 30 : minute === undefined ? null : Number(minute),
    };
  });
}

function readQuarters(text: string, written: string): QuarterFigure[] {
  return [...text.matchAll(QUARTER)].map((match) => ({
    form: 'quarter',
    ...placed(match, written),
    quarter: Number(match.groups?.['quarter']),
  }));
}

function readCalendar(text: string, written: string): CalendarFigure[] {
  return [...text.matchAll(CALENDAR)]
    .filter((match) => !isPartOfWord(text, match.index) && isDate(match))
    .map((match) => {
      const { year, month, day, onlyYear, onlyMonth, onlyDay } = match.groups ?? {};
      return {
        form: 'calendar',
        ...placed(match, written),
        year: numberOrNull(year ?? onlyYear),
        month: numberOrNull(month ?? onlyMonth),
        day: numberOrNull(day ?? onlyDay),
      };
    });
}

/** 11.20 alone is a decimal number: dots, dashes and slashes form a date only after a year, or with 월 and 일. */
function isDate({ groups, 0: whole }: RegExpExecArray): boolean {
  const { month, year } = groups ?? {};
  return month === undefined || year !== undefined || whole.includes('월');
}

function numberOrNull(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

function readQuantities(text: string, written: string): Quantity[] {
  return [...text.matchAll(QUANTITY)].flatMap((match) => quantitiesOf(match, text, written));
}

function quantitiesOf(match: RegExpExecArray, text: string, written: string): Quantity[] {
  const groups = match.groups ?? {};
  const { first = '', second, sign } = groups;
  const unitOf = UNITS.find(([kind]) => groups[kind] !== undefined);
  const signAt = match.index;
  const firstAt = signAt + (sign?.length ?? 0);
  // A hyphen between two letters or digits joins; it is no sign.
  const isSigned = sign !== undefined && !isPartOfWord(text, signAt);
  if (unitOf === undefined && (isPartOfWord(text, firstAt) || !(isSigned || /[.,]/.test(first)))) return [];
  if (unitOf !== undefined && /[a-zA-Z]/.test(text[firstAt - 1] ?? '')) return [];
  const [kind] = unitOf ?? (['count'] as const);
  const unit = unitOf === undefined ? '' : (groups[kind] ?? '');
  const end = match.index + match[0].trimEnd().length;
  const behind = text.slice(end);
  const before = text.slice(0, signAt);
  const shared = {
    form: 'quantity' as const,
    kind,
    unit,
    direction: UP.test(behind) ? ('up' as const) : DOWN.test(behind) ? ('down' as const) : null,
    vague: AT_LEAST_BEHIND.test(behind)
      ? ('at-least' as const)
      : ABOUT_BEHIND.test(behind) || ABOUT_BEFORE.test(before)
        ? ('about' as const)
        : null,
  };
  const start = isSigned ? signAt : firstAt;
  const one = { ...amountOf(first, isSigned && sign !== '+'), ...shared, isSigned };
  if (second === undefined) return [{ ...one, start, end, text: written.slice(start, end) }];
  const secondAt = match.index + match[0].indexOf(second, (sign?.length ?? 0) + first.length);
  const firstEnd = firstAt + first.trimEnd().length;
  return [
    { ...one, start, end: firstEnd, text: written.slice(start, firstEnd) },
    {
      ...amountOf(second, false),
      ...shared,
      isSigned: false,
      start: secondAt,
      end,
      text: written.slice(secondAt, end),
    },
  ];
}

/** Whether the character before a place belongs to the same word: the digits of 코스피200 or TOP10. */
function isPartOfWord(text: string, at: number): boolean {
  const before = text[at - 1];
  return before !== undefined && (LETTER.test(before) || /[\d.]/.test(before));
}

const MULTIPLIERS: Readonly<Record<string, number>> = { 십: 10, 백: 100, 천: 1_000, 만: 1e4, 억: 1e8, 조: 1e12 };

/** Reads `1조 2,000억` and the like. Every part is exact in a double up to 2^53. */
function amountOf(written: string, isNegative: boolean): Pick<Quantity, 'value' | 'step' | 'coarseStep'> {
  let value = 0;
  let step = 1;
  for (const [, digits = '', words = ''] of written.matchAll(
    new RegExp(`(${NUMBER})\\s?([천백십]?[조억만천백]?)`, 'gu'),
  )) {
    const multiplier = [...words].reduce((product, word) => product * (MULTIPLIERS[word] ?? 1), 1);
    const plain = digits.replaceAll(',', '');
    const decimals = plain.split('.')[1]?.length ?? 0;
    value += Number(plain) * multiplier;
    step = multiplier / 10 ** decimals;
  }
  let coarseStep = step;
  while (value !== 0 && Math.abs(Math.round(value / coarseStep)) % 10 === 0) coarseStep *= 10;
  return { value: isNegative ? -value : value, step, coarseStep };
}
