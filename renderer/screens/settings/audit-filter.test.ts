import { expect, test } from 'vitest';
import { queryOf, auditHref, PLAIN_FILTER, readAuditFilter } from './audit-filter.ts';

test('a day is a Korean day, and the last day is included whole', () => {
  expect(queryOf({ ...PLAIN_FILTER, subject: 'policy', from: '2026-11-20', to: '2026-11-20' })).toEqual({
    action: 'policy.*',
    claims: 'false',
    from: '2026-11-19T15:00:00.000Z',
    to: '2026-11-20T15:00:00.000Z',
  });
});

test('the default filter asks for every action of a person except claims', () => {
  expect(queryOf(PLAIN_FILTER)).toEqual({ claims: 'false' });
  expect(queryOf({ ...PLAIN_FILTER, system: true, claims: true, person: '김심사' })).toEqual({
    system: 'true',
    actor: '김심사',
  });
});

test('an address holds a filter; unknown values are left out', () => {
  const filter = {
    subject: 'explanation.approve-edited',
    from: '2026-11-01',
    to: '2026-11-20',
    person: '김 심사',
    ticker: '069500',
    words: '수치 불일치',
  } as const;
  const read = readAuditFilter(auditHref(filter).split('?')[1] ?? '');
  expect(read).toEqual({ ...PLAIN_FILTER, ...filter });
  expect(queryOf(read)).toMatchObject({ action: 'explanation.approve-edited', ticker: '069500', q: '수치 불일치' });
  expect(readAuditFilter('?subject=nobody&from=2026-02-30&row=1e3')).toEqual(PLAIN_FILTER);
  expect(queryOf(readAuditFilter(auditHref({ row: '17' }).split('?')[1] ?? ''))).toEqual({ seq: '17', system: 'true' });
});
