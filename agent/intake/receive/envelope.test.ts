import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkEnvelope, type Expected } from './envelope.ts';
import { bodyOf, bundleOf, invalidationAt, newAt, TENANT } from '../../../test/support/agent/intake.ts';

const at = (after: number, tenantId: number | null = TENANT): Expected => ({ after, tenantId });
const three = [newAt(5, 'a'), invalidationAt(6, 'a'), newAt(9, 'b')];
const good = bundleOf(4, three);

/** The reason of the violation, or null when there is none. */
function reason(body: Uint8Array, expected: Expected = at(4)): string | null {
  const checked = checkEnvelope(body, expected);
  return checked.kind === 'VIOLATION' ? checked.reason : null;
}

describe('an envelope that fits', () => {
  test('a bundle that continues at our cursor', () => {
    expect(checkEnvelope(bodyOf(good), at(4))).toMatchObject({
      kind: 'BUNDLE',
      bundle: { cursor_to: 9, entries: [{ cursor: 5 }, { cursor: 6 }, { cursor: 9 }] },
    });
  });
  test('before the first bundle every tenant fits', () => {
    expect(reason(bodyOf({ ...good, tenant_id: Number.MAX_SAFE_INTEGER }), at(4, null))).toBeNull();
  });
  test('an answer without a bundle says that nothing is new', () => {
    expect(checkEnvelope(bodyOf(), at(4))).toEqual({ kind: 'NOTHING_NEW' });
  });
  test('fields of a newer cloud are no violation, and entries are not checked', () => {
    const body = bodyOf({ ...good, schema: 2, entries: [{ cursor: 5, delivery_type: 'CORRECTION' }, { cursor: 9 }] });
    expect(reason(body)).toBeNull();
  });
  test('every ascending run of cursors, with any gaps', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.uniqueArray(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 50 }),
        (after, steps) => {
          const cursors = steps.toSorted((a, b) => a - b).map((step) => after + step);
          const body = bodyOf(
            bundleOf(
              after,
              cursors.map((cursor) => ({ cursor })),
            ),
          );
          expect(reason(body, at(after))).toBeNull();
        },
      ),
    );
  });
});

describe('a violation (D33)', () => {
  test.each<[string, unknown, string]>([
    ['another tenant', { ...good, tenant_id: 8 }, 'of tenant 8, and this ledger belongs to tenant 7'],
    ['an overlap', { ...good, cursor_from: 3 }, 'begins after cursor 3, and the pull asked for records after 4'],
    ['a jump', { ...good, cursor_from: 5 }, 'begins after cursor 5'],
    ['no entries', { ...good, entries: [] }, 'has no entries'],
    ['a first cursor that is not above', bundleOf(4, [newAt(4, 'a'), newAt(5, 'b')]), 'not above cursor_from 4'],
    ['a cursor twice', bundleOf(4, [newAt(5, 'a'), newAt(5, 'b')]), 'do not ascend: 5 follows 5'],
    ['cursors that fall', bundleOf(4, [newAt(6, 'a'), newAt(5, 'b')]), 'do not ascend: 5 follows 6'],
    ['a cursor_to above the last', { ...good, cursor_to: 10 }, 'cursor_to is 10, and the last entry has cursor 9'],
    ['a cursor_to below the last', { ...good, cursor_to: 6 }, 'cursor_to is 6'],
    ['a bundle that is null', null, 'result'],
    ['a bundle without an id', { ...good, bundle_id: undefined }, 'bundle_id'],
    ['an entry without a cursor', { ...good, entries: [{}] }, 'result.entries.0.cursor'],
    ['a cursor as a text', { ...good, cursor_to: '9' }, 'result.cursor_to'],
    ['a cursor with a fraction', { ...good, cursor_to: 9.5 }, 'result.cursor_to'],
    ['a negative cursor', { ...good, cursor_from: -1 }, 'result.cursor_from'],
  ])('%s', (_, bundle, said) => expect(reason(bodyOf(bundle))).toContain(said));

  test.each(['tenant_id', 'cursor_from', 'cursor_to'])('%s beyond 2^53-1 is refused, not rounded (D3)', (field) => {
    const body = JSON.stringify({ isSuccess: true, code: 'COMMON200', message: 'OK', result: { ...good, [field]: 0 } });
    for (const digits of ['9007199254740992', '9007199254740993', '123456789012345678901']) {
      const said = reason(Buffer.from(body.replace(`"${field}":0`, `"${field}":${digits}`)));
      expect(said).toBe(
        `The answer does not fit: result.${field} is beyond 2^53-1, where numbers are no longer exact.`,
      );
    }
  });

  test.each([
    ['nothing at all', ''],
    ['a page of a proxy', '<!doctype html><title>Bad gateway</title>'],
    ['a failure with status 200', '{"isSuccess":false,"code":"COMMON500","message":"x"}'],
    ['an array', '[]'],
    ['the same name twice', '{"isSuccess":true,"code":"c","message":"m","result":null,"result":null}'],
  ])('%s', (_, text) => expect(reason(Buffer.from(text))).not.toBeNull());

  test('any bytes get a verdict and never an error', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        (body) => {
          expect(reason(body)).toBeTypeOf('string');
        },
      ),
    );
  });

  test('a body that was cut anywhere is a violation', () => {
    const body = bodyOf(good);
    for (let length = 0; length < body.length; length++) expect(reason(body.subarray(0, length))).toBeTypeOf('string');
  });
});
