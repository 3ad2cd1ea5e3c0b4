/** Queries that are compiled once. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLedger, type Ledger } from './ledger.ts';
import { prepared, sqlite } from './query.ts';

describe('a prepared query', () => {
  let ledger: Ledger;
  beforeEach(() => (ledger = openLedger(':memory:')));
  afterEach(() => ledger.close());

  test('is built once and bound to the values of each call, wherever they stand', () => {
    let built = 0;
    const sum = prepared((one: number, other: { a: number; b: { c: string | null } }) => {
      built += 1;
      return sql<{ sum: number; text: string | null }>`SELECT ${one} + +${other.a} + ${one} + ${1} AS sum,
        ${other.b.c} AS text`;
    });
    expect(ledger.first(sum(1, { a: 10, b: { c: '가' } }))).toEqual({ sum: 13, text: '가' });
    expect(ledger.first(sum(2, { a: 20, b: { c: null } }))).toEqual({ sum: 25, text: null });
    expect(built).toBe(1);
  });

  test('of the builder binds conditions and rows', () => {
    const add = prepared((ticker: string, name: { ko: string }) =>
      sqlite
        .insertInto('instrument')
        .values({ etf_ticker: ticker, etf_instrument_id: sql`'id-' || ${ticker}`, etf_name: name.ko }),
    );
    const named = prepared((name: string) =>
      sqlite.selectFrom('instrument').select(['etf_ticker', 'etf_instrument_id']).where('etf_name', '=', name),
    );
    ledger.write((tx) => tx.run(add('069500', { ko: '하나' })));
    ledger.write((tx) => tx.run(add('102110', { ko: '둘' })));
    expect(ledger.first(named('둘'))).toEqual({ etf_ticker: '102110', etf_instrument_id: 'id-102110' });
  });

  test('cannot compute with a value, for that would hold for all calls', () => {
    const next = prepared((one: number) => sql`SELECT ${one + 1} AS next`);
    const text = prepared((one: object) => sql`SELECT ${JSON.stringify(one)} AS text`);
    expect(() => next(1)).toThrow('computes with no value');
    expect(() => text({})).toThrow('computes with no value');
  });
});
