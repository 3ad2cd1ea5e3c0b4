/** The form of each kind of row in the record. A row of another form was changed past the program (D156). */
import { z } from 'zod';
import { isCalendarDate } from '../../../shared/time/kst.ts';
import type { FactKind, FactValues } from '../serving/record.ts';

const text = z.string();
const flag = z.int().min(0).max(1);
const time = z.iso.datetime({ precision: 3 });
const nothing = z.strictObject({});

const FORMS: { [K in FactKind]: z.ZodType<FactValues[K]> } = {
  RESTORED: z.strictObject({ since: time.nullable() }),
  POLICY: z.strictObject({
    version: z.int(),
    disclaimer: text,
    expiresAt: text.nullable(),
    by: text,
  }),
  SCOPE: z.strictObject({
    type: z.enum(['MARKET', 'CHANNEL', 'INSTRUMENT', 'SECTOR']),
    key: text,
    enabled: flag,
    by: text,
  }),
  CHANNEL: z.strictObject({ channel: text, open: flag }),
  INSTRUMENT: z.strictObject({
    market: text.nullable(),
    sector: text.nullable(),
    by: text.nullish(),
  }),
  FIELDS: z.strictObject({
    id: text,
    etf_ticker: text,
    etf_name: text,
    market: text.nullable(),
    trade_date: text.refine(isCalendarDate),
    explanation_as_of: time,
    content_as_of: text.nullable(),
    analysis_engine: text,
    cursor: z.int(),
  }),
  REBUILD: z.strictObject({ held: flag }),
  CORRECTED: nothing,
};

/** A kind that this program does not know has no form. */
const isKind = (kind: string): kind is FactKind => Object.hasOwn(FORMS, kind);

/** The value of a row with its time; null where the row is in no form of its kind. */
export function factIn({
  at,
  kind,
  value,
}: {
  at: string;
  kind: string;
  value: string;
}): ({ at: string } & object) | null {
  if (!isKind(kind) || !isInstant(at)) return null;
  try {
    return { at, ...FORMS[kind].parse(JSON.parse(value)) };
  } catch {
    return null;
  }
}

/** Whether a text is an instant as the ledger writes them: in UTC, with milliseconds. */
export const isInstant = (at: string): boolean => time.safeParse(at).success;
