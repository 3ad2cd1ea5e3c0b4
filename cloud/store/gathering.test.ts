/** Questions that come at once are asked by one statement, and each gets its own answer. */
import { expect, test } from 'vitest';
import { ConnectionLostError } from './errors.ts';
import { Gathering } from './gathering.ts';

/** Each statement is answered by hand. */
function byHand(): {
  gathering: Gathering<number, string>;
  statements: { questions: readonly number[]; answer(): void; fail(error: Error): void }[];
} {
  const statements: ReturnType<typeof byHand>['statements'] = [];
  const gathering = new Gathering((questions: readonly number[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    statements.push({ questions, answer: () => resolve(questions.map((each) => `answer ${each}`)), fail: reject });
    return promise;
  });
  return { gathering, statements };
}

const asked = (statements: readonly { questions: readonly number[] }[]): (readonly number[])[] =>
  statements.map(({ questions }) => questions);

test('the first two questions are asked at once, and those that come meanwhile together', async () => {
  const { gathering, statements } = byHand();
  const answers = Array.from({ length: 100 }, (_, index) => gathering.ask(index));
  expect(asked(statements)).toEqual([[0], [1]]);
  statements[1]?.answer();
  expect(await answers[1]).toBe('answer 1');
  await expect.poll(() => asked(statements)).toHaveLength(3);
  // No statement grows without bound.
  expect(statements[2]?.questions).toEqual(Array.from({ length: 64 }, (_, index) => index + 2));
  statements[0]?.answer();
  await expect.poll(() => asked(statements)).toHaveLength(4);
  statements[3]?.answer();
  statements[2]?.answer();
  expect(await Promise.all(answers)).toEqual(answers.map((_, index) => `answer ${index}`));
  expect(statements).toHaveLength(4);
});

/** Two statements under way, and three questions behind them. @returns what becomes of the three */
function three(gathering: Gathering<number, string>): Promise<PromiseSettledResult<string>[]> {
  void gathering.ask(0);
  void gathering.ask(1).catch(() => undefined);
  return Promise.allSettled([2, 3, 4].map((question) => gathering.ask(question)));
}

test('a statement that fails for one of its questions is asked again question by question', async () => {
  const { gathering, statements } = byHand();
  const outcomes = three(gathering);
  statements[0]?.answer();
  await expect.poll(() => asked(statements)).toHaveLength(3);
  statements[2]?.fail(new Error('3 is broken'));
  for (const at of [3, 4, 5]) {
    await expect.poll(() => asked(statements)).toHaveLength(at + 1);
    if (at === 4) statements[at]?.fail(new Error('3 is broken'));
    else statements[at]?.answer();
  }
  expect(asked(statements).slice(2)).toEqual([[2, 3, 4], [2], [3], [4]]);
  expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  // The place is free again.
  void gathering.ask(5);
  await expect.poll(() => asked(statements).at(-1)).toEqual([5]);
});

test('a database that is away is asked once for all of them', async () => {
  const { gathering, statements } = byHand();
  const outcomes = three(gathering);
  statements[1]?.fail(new ConnectionLostError(null));
  await expect.poll(() => asked(statements)).toHaveLength(3);
  statements[2]?.fail(new ConnectionLostError(null));
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(statements).toHaveLength(3);
});
