/**
 * Measures the growth of a parser's cost: hostile texts of one size and of sixteen times that. Linear is 16 times the
 * processor time, quadratic 256; the bound between them leaves room for a busy machine.
 */
const TIMES = 16;
export const MOST_TIMES = 100;
/** Below this the clock is too coarse; the larger size then has at most `MOST_TIMES` of it. */
const LEAST_MS = 4;

export type Parser = (text: string) => unknown;

/** Processor time of the cheaper of two runs, so that what else the machine does is left out; of one that is cheap enough. */
async function costOf(parse: Parser, text: string, enough = LEAST_MS): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 2; run += 1) {
    const began = process.cpuUsage();
    try {
      await parse(text);
    } catch {
      // Unfit input is refused; here only its cost counts.
    }
    const { user, system } = process.cpuUsage(began);
    least = Math.min(least, (user + system) / 1_000);
    // A run that is this cheap is cheap enough at any load.
    if (least < enough) break;
  }
  return least;
}

/** The ratio of the costs of the larger and the smaller text from `textOf`, or a larger one that is below `MOST_TIMES`. */
export async function growth(parse: Parser, textOf: (size: number) => string, small: number): Promise<number> {
  const large = await costOf(parse, textOf(small * TIMES), MOST_TIMES * LEAST_MS);
  // The smaller one counts as the least at least: a larger one below this passes whatever the smaller one costs.
  if (large < MOST_TIMES * LEAST_MS) return large / LEAST_MS;
  return large / Math.max(await costOf(parse, textOf(small)), LEAST_MS);
}

/** The text over and over, to about a size. */
export const repeated =
  (fragment: string, end = '') =>
  (size: number): string =>
    fragment.repeat(Math.ceil(size / fragment.length)) + end;
