import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsWord, problemsOf, readExceptions, readList, writeExceptions, writeList } from './exceptions.ts';

describe('a list as it is typed', () => {
  test.for([
    [
      ' 매수세 \n\n매수 수량, 순매수，판매수수료、환매수수료\n',
      ['매수세', '매수 수량', '순매수', '판매수수료', '환매수수료'],
    ],
    ['1,000배, 10,확실 ,1위', ['1,000배', '10', '확실', '1위']],
    [' , \n,,', []],
    ['', []],
  ] as const)('%j', ([typed, read]) => {
    expect(readList(typed)).toEqual(read);
  });

  const expression = fc
    .string({ unit: fc.constantFrom(...'매수세 1,?a\n，'), maxLength: 8 })
    .map((text) => readList(text)[0] ?? '최고')
    .filter((text) => !text.includes('\n'));

  test('invariant: written exceptions are read back the same, without blanks and separators', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'가나 1,，、?\n'), maxLength: 40 }), (typed) => {
        const read = readList(typed);
        for (const one of read) {
          expect(one).toBe(one.trim());
          expect(one).not.toBe('');
          expect(one).not.toMatch(/\n|(?<!\d)[,，、]|[,，、](?!\d)/u);
        }
        expect(readList(writeList(read))).toEqual(read);
        // Only separators and white space of the typed text may be lost.
        const bare = (text: string): string => text.replaceAll(/[\s,，、]/gu, '');
        expect(bare(read.join(''))).toBe(bare(typed));
      }),
    );
  });

  test('invariant: exceptions keep their effect through both fields', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ text: expression, becomes: fc.constantFrom('CLEAR' as const, 'REVIEW' as const) })),
        (exceptions) => {
          const again = readExceptions(writeExceptions(exceptions));
          for (const becomes of ['CLEAR', 'REVIEW'] as const) {
            const of = (all: typeof exceptions) => all.filter((one) => one.becomes === becomes);
            expect(of(again)).toEqual(of(exceptions));
          }
        },
      ),
    );
  });
});

test('exceptions that the API would refuse are named: signs alone, the former mark, duplicates, too long, too many', () => {
  expect(problemsOf(['?', '? 원금 보장되지 않', '최고가', '최고 가', '최고치'])).toEqual([
    { kind: 'SIGN', text: '?' },
    { kind: 'MARK', text: '? 원금 보장되지 않' },
    { kind: 'TWICE', text: '최고 가' },
  ]);
  expect(problemsOf(['가'.repeat(201)]).map(({ kind }) => kind)).toEqual(['LONG']);
  expect(problemsOf(['가', '나', '다'], 2)).toEqual([{ kind: 'MANY', text: '2' }]);
});

test('an exception contains its word regardless of spaces, case and width', () => {
  expect(holdsWord('매수', '순 매 수')).toBe(true);
  expect(holdsWord('Best', 'ＢＥＳＴ price')).toBe(true);
  expect(holdsWord('원금 보장', '원금이 보장되지 않')).toBe(false);
});
