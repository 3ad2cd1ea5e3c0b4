import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ANSWER_MS, createRequester, SilentError } from '../http/request.ts';
import { createQueryClient, DATA_KEY, followChange, refreshData } from './session-queries.ts';

/** How often events arrive, in ms. */
const EVENT_MS = 5_000;

function reading(answer: (signal: AbortSignal) => Promise<unknown>) {
  // The data is loaded already: a first reading is never cancelled.
  const client = createQueryClient({ staleTime: 0 });
  const queryKey = [...DATA_KEY, 'queue'];
  client.setQueryData(queryKey, 'on screen');
  const asked: AbortSignal[] = [];
  const observer = new QueryObserver(client, {
    queryKey,
    queryFn: ({ signal }) => {
      asked.push(signal);
      return answer(signal);
    },
  });
  const unsubscribe = observer.subscribe(() => undefined);
  return { client, observer, asked, end: () => (unsubscribe(), client.clear()) };
}

describe('an event that arrives during a reading', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('does not extend the time limit of the reading', async () => {
    const request = createRequester(
      (_input, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
      '/probe',
    );
    const { client, observer, end } = reading((signal) => request('GET', '/queue', { signal }));
    for (let passed = 0; passed < ANSWER_MS; passed += EVENT_MS) {
      followChange(client);
      await vi.advanceTimersByTimeAsync(EVENT_MS);
    }
    expect(observer.getCurrentResult().error).toBeInstanceOf(SilentError);
    end();
  });

  test('triggers one more reading after the answer, for any number of events', async () => {
    const answers: ((value: unknown) => void)[] = [];
    const { client, observer, asked, end } = reading(() => new Promise((resolve) => answers.push(resolve)));
    await vi.advanceTimersByTimeAsync(0);
    followChange(client);
    followChange(client);
    await vi.advanceTimersByTimeAsync(EVENT_MS);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.aborted).toBe(false);
    answers[0]?.('before the change');
    await vi.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult().data).toBe('before the change');
    expect(asked).toHaveLength(2);
    answers[1]?.('after it');
    await vi.advanceTimersByTimeAsync(EVENT_MS);
    expect(observer.getCurrentResult().data).toBe('after it');
    expect(asked).toHaveLength(2);
    end();
  });

  test('starts a reading at once where none is under way', async () => {
    const { client, asked, end } = reading(() => Promise.resolve('answer'));
    await vi.advanceTimersByTimeAsync(0);
    followChange(client);
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toHaveLength(2);
    end();
  });
});

test('after its own change a window accepts no answer from before it', async () => {
  const { client, asked, end } = reading(() => new Promise(() => undefined));
  await Promise.resolve();
  void refreshData(client);
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[0]?.aborted).toBe(true);
  end();
});
