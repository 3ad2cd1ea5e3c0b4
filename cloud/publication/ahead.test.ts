import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { kstDate } from '../../shared/time/kst.ts';
import { provideStore } from '../../test/support/cloud/block-store.ts';
import { backfill, live, read, v2 } from '../../test/support/cloud/loads.ts';
import { AT, reset, STORE_KINDS } from '../../test/support/cloud/store.ts';
import type { Store } from '../store/open.ts';
import { refuseAhead } from './ahead.ts';
import type { Load } from './load.ts';
import { publish } from './publish.ts';

interface Times {
  trade_date?: string;
  explanation_as_of?: string;
  fired_at?: string;
}

const MODES = {
  REALTIME: () => live({ key: 'a' }),
  DAILY: (): Load => ({ ...live({ key: 'a' }), mode: 'DAILY' }),
  BACKFILL: () => backfill({ key: 'a' }),
  V2: () => v2({ key: 'a' }),
};

function dated(load: Load, { fired_at: firedAt, ...times }: Times): Load {
  const trigger = firedAt === undefined ? load.trigger : { ...load.trigger, fired_at: firedAt };
  if (load.mode === 'V2') return { ...load, trigger, analysis: { ...load.analysis, ...times } };
  return { ...load, trigger, result: load.result === null ? null : { ...load.result, ...times } } as Load;
}

describe.each(Object.entries(MODES))('the times of a load of mode %s', (_mode, make) => {
  // 23:59:59 of the 20th in Korea.
  const now = new Date('2026-11-20T14:59:59Z');
  const code = (times: Times, at = now): string | null => {
    try {
      refuseAhead(dated(make(), times), at);
      return null;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  test.each<[Times, string | null]>([
    [{}, null],
    [{ trade_date: '2026-11-20' }, null],
    [{ trade_date: '2026-11-21' }, 'DATE_AHEAD'],
    [{ trade_date: '9999-12-31' }, 'DATE_AHEAD'],
    [{ explanation_as_of: '2026-11-21T00:09:59+09:00' }, null],
    [{ explanation_as_of: '2026-11-21T00:09:59.001+09:00' }, 'DATE_AHEAD'],
    [{ fired_at: '2026-11-20T15:09:59Z' }, null],
    [{ fired_at: '2026-11-20T15:10:00Z' }, 'DATE_AHEAD'],
  ])('%j', (times, expected) => expect(code(times)).toBe(expected));

  test('a second later it is the next day in Korea', () =>
    expect(code({ trade_date: '2026-11-21' }, new Date('2026-11-20T15:00:00Z'))).toBeNull());
});

describe.each(STORE_KINDS)('a load that is dated ahead on %s', (_name, makeKind) => {
  let store: Store;
  provideStore(makeKind, (opened) => (store = opened.store));
  beforeEach(() => reset(store));

  const clock = async (): Promise<number> =>
    (await sql<{ at: Date }>`select clock_timestamp() as at`.execute(store.db)).rows[0]?.at.getTime() ?? 0;
  const [DAY, HOUR] = [86_400_000, 3_600_000];

  test.each(Object.entries(MODES))(
    '%s is refused by the clock of the database and leaves nothing',
    async (_mode, make) => {
      const at = await clock();
      for (const [times, place] of [
        [{ trade_date: kstDate(new Date(at + DAY)) }, 'trade_date'],
        [{ explanation_as_of: new Date(at + HOUR).toISOString() }, 'explanation_as_of'],
        [{ fired_at: new Date(at + HOUR).toISOString() }, 'fired_at'],
      ] as const) {
        // The server's own clock does not matter.
        for (const server of [AT, new Date(at + 2 * DAY)])
          await expect(publish(store, read(dated(make(), times)), server)).rejects.toThrow(
            new RegExp(`${place}: .* the clock of the database.*send the same load again`),
          );
      }
      const left = await sql`
      select 1 from instrument union all select 1 from entity union all select 1 from explanation_run`.execute(
        store.db,
      );
      expect(left.rows).toEqual([]);
    },
  );

  test('the same load is taken when its time has come, and a repetition never is too early', async () => {
    const load = read(dated(live({ key: 'a' }), { trade_date: '2026-11-20' }));
    const [before, after] = [new Date('2026-11-19T14:59:59Z'), new Date('2026-11-20T08:00:00Z')];
    await expect(publish(store, load, AT, { now: before })).rejects.toMatchObject({ code: 'DATE_AHEAD' });
    expect(await publish(store, load, AT, { now: after })).toMatchObject({ outcome: 'PUBLISHED', repeated: false });
    expect(await publish(store, load, AT, { now: before })).toMatchObject({ outcome: 'PUBLISHED', repeated: true });
  });

  test('a backfill that failed is refused by its firing too', async () => {
    const failed = backfill({ key: 'a' }, { result: null, failure: { exception_type: 'ValueError', message: '' } });
    await expect(publish(store, read(failed), AT, { now: new Date('2026-11-20T00:00:00Z') })).rejects.toMatchObject({
      code: 'DATE_AHEAD',
    });
  });
});
