/** A percentage in every way to write it: `100%` is `100퍼센트`, `백 퍼센트` and `100프로`. White space does not count. */
const SIGNS = ['퍼센트', '프로'];
const DIGITS = '영일이삼사오육칠팔구';
const UNITS = ['', '십', '백', '천'];

/** The same expression with its percentages in words; empty where it has none. */
export function percentInWords(expression: string): string[] {
  if (!PERCENT.test(expression)) return [];
  const said = [(digits: string) => digits, inWords];
  return SIGNS.flatMap((sign) =>
    said.map((say) => expression.replace(ALL, (_, digits: string) => `${say(digits)}${sign}`)),
  );
}

const PERCENT = /\d\s*[%％]/;
const ALL = /(\d+)\s*[%％]/g;

/** A number in Sino-Korean letters: 100 is 백, 15 is 십오. Beyond four digits as it is. */
function inWords(digits: string): string {
  if (digits.length > UNITS.length || /^0./.test(digits)) return digits;
  if (digits === '0') return '영';
  return Array.from(digits, (digit, n) => {
    const unit = UNITS[digits.length - 1 - n] ?? '';
    if (digit === '0') return '';
    return digit === '1' && unit !== '' ? unit : `${DIGITS.charAt(Number(digit))}${unit}`;
  }).join('');
}
