export type Direction = 'up' | 'down' | 'flat';

const MINUS = '−';

/** A written number with the one minus sign of the screens. */
export function withMinus(written: string): string {
  return written.replace(/^-/, MINUS);
}

/** The sign of the shown value: a return that rounds to zero is neither up nor down. */
export function directionOf(ratio: number): Direction {
  const rounded = hundredths(ratio);
  if (rounded === 0) return 'flat';
  return rounded > 0 ? 'up' : 'down';
}

/** A ratio as percent with its sign and two decimals: 0.0123 is `+1.23%`. */
export function percentText(ratio: number): string {
  const rounded = hundredths(ratio);
  const sign = rounded === 0 ? '' : rounded > 0 ? '+' : MINUS;
  return `${sign}${(Math.abs(rounded) / 100).toFixed(2)}%`;
}

/** Hundredths of a percent, rounded half away from zero; limited to 15 digits, which removes binary noise. */
function hundredths(ratio: number): number {
  const exact = Number((Math.abs(ratio) * 10_000).toPrecision(15));
  const rounded = Math.round(exact);
  return rounded === 0 ? 0 : Math.sign(ratio) * rounded;
}
