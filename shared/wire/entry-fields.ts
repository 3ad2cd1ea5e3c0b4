/**
 * The fields of an entry and their bounds (D198), stated once: the engine's door takes nothing that an Intake rejects. The
 * sizes of a whole entry stand in `bundle-endpoint.ts`, which the relay reads too.
 */
import { z } from 'zod';
import { isCalendarDate } from '../time/kst.ts';
import { MAX_TEXT_LENGTH } from './bundle-endpoint.ts';
import { checkBy, flawOf, flawWithin, type TextKind } from './characters.ts';
import { isBlank } from './invisible.ts';

/** Longest texts, in UTF-16 units. */
export const LONGEST = {
  id: 200,
  name: 200,
  market: 20,
  /** Names of types, kinds and releases. */
  code: 100,
  source: 500,
  title: 1_000,
  address: 2_000,
  formula: 5_000,
  text: MAX_TEXT_LENGTH,
} as const;

/** The kind of characters of each. */
const KINDS: Record<keyof typeof LONGEST, TextKind> = {
  id: 'id',
  name: 'name',
  market: 'name',
  code: 'name',
  source: 'name',
  title: 'title',
  address: 'address',
  formula: 'text',
  text: 'text',
};

/** A text of this kind; ids and names are never empty. */
function fieldOf(field: keyof typeof LONGEST): z.ZodString {
  const kind = KINDS[field];
  return z
    .string()
    .min(kind === 'id' || kind === 'name' ? 1 : 0)
    .max(LONGEST[field])
    .check(checkBy((value) => (value === '' ? null : flawOf(kind, value))));
}

export const id = fieldOf('id');
export const name = fieldOf('name');
export const market = fieldOf('market');
export const code = fieldOf('code');
export const source = fieldOf('source');
export const title = fieldOf('title');
export const address = fieldOf('address');
export const formula = fieldOf('formula');
export const text = fieldOf('text');

/** What went into a calculation, or came out: names and values of any depth. */
export const figures = z.record(z.string(), z.unknown()).check(checkBy(flawWithin));

/** Any characters: a v1 summary that is not fit for readers goes to a reviewer (`TEXT_UNFIT`). */
export const candidate = z.string().max(MAX_TEXT_LENGTH);
/** Nobody reviews a v2 summary. */
export const whyUnfit = (summary: string): string | null =>
  isBlank(summary) ? 'must not be blank' : flawOf('text', summary);

const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Bounds of the stores and of the wire. */
function isStorableInstant(value: string): boolean {
  const offsetHours = Number(/[+-](\d\d):\d\d$/.exec(value)?.[1] ?? 0);
  const at = new Date(value);
  const year = at.getUTCFullYear();
  // The store keeps microseconds: more digits may round up into the year 10000.
  const isRoundedUp = at.getTime() === LAST_MS && /\.\d{3}\d*[1-9]/.test(value);
  return offsetHours < 16 && year >= 1 && year <= 9999 && !isRoundedUp;
}

export const instant = z.iso
  .datetime({ offset: true })
  .max(40)
  .refine(isStorableInstant, 'must lie in the years 0001 to 9999 of UTC, with an offset below 16 hours');
export const calendarDate = z
  .string()
  .refine(isCalendarDate, 'must be a date that exists, as YYYY-MM-DD')
  .meta({ format: 'date' });
/** Of a calculation. As JSON Schema, whose own format takes small letters too. */
const SECONDS_AND_OFFSET = String.raw`T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$`;
export const asOf = z
  .string()
  .max(40)
  .refine(
    (value) => isCalendarDate(value) || instant.safeParse(value).success,
    'must be a date that exists as YYYY-MM-DD, or an instant with seconds and an offset',
  )
  .meta({ anyOf: [{ format: 'date' }, { format: 'date-time', pattern: SECONDS_AND_OFFSET }] });
/** A finite double. */
export const ratio = z.number();
