/**
 * The parts tell one another their versions. The console API sends its own in a header of every answer; its page and
 * the desktop program compare it with theirs (console API 9 names no negotiation).
 */

/** The version in `package.json`. */
export const PRODUCT_VERSION = '0.1.0';

export const VERSION_HEADER = 'x-causeway-version';

/**
 * Raised by one when the two sides would fail with each other. `api`: the console's page and the console API;
 * `program`: the desktop program and the page in it (`program.ts`).
 */
export const LEVELS = { api: 1, program: 1 } as const;

export type LevelName = keyof typeof LEVELS;

export interface Versions {
  product: string;
  levels: Readonly<Record<LevelName, number>>;
}

export const OWN_VERSIONS: Versions = { product: PRODUCT_VERSION, levels: LEVELS };

/** `0.1.0; api=1; program=1`. */
export function versionsText({ product, levels }: Versions): string {
  return `${product}; api=${levels.api}; program=${levels.program}`;
}

const TEXT = /^(\d{1,5}\.\d{1,5}\.\d{1,5}(?:-[0-9A-Za-z.-]{1,40})?); api=(\d{1,6}); program=(\d{1,6})(?:;|$)/;

/** The version in a header; null for an absent or unreadable one. */
export function readVersions(text: string | null | undefined): Versions | null {
  const [, product, api, program] = TEXT.exec(text ?? '') ?? [];
  if (product === undefined) return null;
  return { product, levels: { api: Number(api), program: Number(program) } };
}

/** The difference between another side's version and our own. */
export interface Difference {
  own: string;
  theirs: string;
  /** The side with the older version. */
  older: 'OWN' | 'THEIRS';
  /** Whether the two fail with each other: another major version, or another level. */
  isIncompatible: boolean;
}

/** Null: the versions are equal. */
export function differenceOf(own: Versions, theirs: Versions, level: LevelName): Difference | null {
  const levels = own.levels[level] - theirs.levels[level];
  const products = compareProducts(own.product, theirs.product);
  if (levels === 0 && own.product === theirs.product) return null;
  const isIncompatible = levels !== 0 || majorOf(own.product) !== majorOf(theirs.product);
  const isOwnOlder = (levels === 0 ? products : levels) < 0;
  return { own: own.product, theirs: theirs.product, older: isOwnOlder ? 'OWN' : 'THEIRS', isIncompatible };
}

const majorOf = (product: string): string => product.split('.')[0] ?? '';

/** Below 0: `a` is older. A version with a hyphen comes before the release of the same numbers. */
export function compareProducts(a: string, b: string): number {
  const [numbersA = '', ...restA] = a.split('-');
  const [numbersB = '', ...restB] = b.split('-');
  const partsB = numbersB.split('.').map(Number);
  for (const [index, part] of numbersA.split('.').map(Number).entries()) {
    const distance = part - (partsB[index] ?? 0);
    if (distance !== 0) return distance;
  }
  if (restA.length === 0 || restB.length === 0) return restB.length - restA.length;
  return restA.join('-') < restB.join('-') ? -1 : 1;
}
