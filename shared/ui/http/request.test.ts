import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  ANSWER_MS,
  AnswerLostError,
  ApiProblem,
  createRequester,
  isConflict,
  isSessionLost,
  messagesAbout,
  NotSentError,
  queryString,
  SilentError,
  UnreachableError,
  UnreadableAnswerError,
} from './request.ts';

function answering(status: number, body: unknown, headers: Record<string, string> = {}) {
  const asked: { input: string; init: RequestInit }[] = [];
  const request = createRequester(async (input, init) => {
    asked.push({ input, init });
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
  }, '/probe');
  return { request, asked };
}

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed.');
}

const refusal = (code: string, errors?: unknown) => ({
  isSuccess: false,
  code,
  message: 'no',
  ...(errors === undefined ? {} : { errors }),
});

describe('asking the API', () => {
  test('gives the result, and undefined where there is none', async () => {
    expect(
      await answering(200, { isSuccess: true, code: 'COMMON200', message: 'OK', result: { a: 1 } }).request(
        'GET',
        '/x',
      ),
    ).toEqual({ a: 1 });
    expect(
      await answering(200, { isSuccess: true, code: 'COMMON200', message: 'OK' }).request('POST', '/x'),
    ).toBeUndefined();
  });

  test('sends body, version and query as the API reads them, with the cookie of its own origin alone', async () => {
    const { request, asked } = answering(200, { isSuccess: true, code: 'COMMON200', message: 'OK' });
    await request('POST', '/api/v1/a', {
      query: { q: '가 나', page: 2, status: undefined, market: '' },
      body: { reason: 'x' },
      version: 7,
    });
    const [{ input, init }] = asked as [{ input: string; init: RequestInit }];
    const headers = new Headers(init.headers);
    expect(input).toBe(`/api/v1/a?${new URLSearchParams({ q: '가 나', page: '2' }).toString()}`);
    expect(init).toMatchObject({ method: 'POST', credentials: 'same-origin', body: '{"reason":"x"}' });
    expect(headers.get('if-match')).toBe('"7"');
    expect(headers.get('content-type')).toBe('application/json');
  });

  test('a request without a body sends no content type', async () => {
    const { request, asked } = answering(200, { isSuccess: true, code: 'COMMON200', message: 'OK' });
    await request('GET', '/x');
    expect(new Headers(asked[0]?.init.headers).has('content-type')).toBe(false);
  });

  test('a refusal is a problem with status, code, fields and request id', async () => {
    const error = await failureOf(
      answering(400, refusal('REVIEW4001', [{ path: 'body.reason', message: 'required' }, 'nonsense', { path: 1 }]), {
        'x-request-id': 'r-1',
      }).request('POST', '/x'),
    );
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject({
      status: 400,
      code: 'REVIEW4001',
      requestId: 'r-1',
      fieldErrors: [{ path: 'body.reason', message: 'required' }],
    });
    expect(messagesAbout(error, 'body.reason')).toEqual(['required']);
  });

  test('a missing answer is not a refusal', async () => {
    const request = createRequester(() => Promise.reject(new TypeError('fetch failed')), '/probe');
    expect(await failureOf(request('GET', '/x'))).toBeInstanceOf(UnreachableError);
  });

  test('a change is not sent while the API is silent; a change with a lost answer is reported differently', async () => {
    let isDown = true;
    const asked: string[] = [];
    const request = createRequester(async (input, init) => {
      asked.push(`${init.method} ${input}`);
      if (isDown) throw new TypeError('fetch failed');
      return Response.json({ isSuccess: true, code: 'COMMON200', message: 'OK', result: 1 });
    }, '/probe');
    expect(await failureOf(request('POST', '/first'))).toBeInstanceOf(AnswerLostError);
    expect(await failureOf(request('POST', '/second'))).toBeInstanceOf(NotSentError);
    expect(await failureOf(request('POST', '/preview', { isRead: true }))).toBeInstanceOf(UnreachableError);
    isDown = false;
    expect(await request('POST', '/third')).toBe(1);
    expect(await request('POST', '/fourth')).toBe(1);
    expect(asked).toEqual(['POST /first', 'GET /probe', 'POST /preview', 'GET /probe', 'POST /third', 'POST /fourth']);
  });

  test('what a closing page sends does not wait for the probe', async () => {
    const asked: string[] = [];
    const request = createRequester(async (input, init) => {
      asked.push(`${init.method} ${input}`);
      throw new TypeError('fetch failed');
    }, '/probe');
    await failureOf(request('GET', '/x'));
    await failureOf(request('DELETE', '/claim', { keepalive: true }));
    expect(asked).toEqual(['GET /x', 'DELETE /claim']);
  });

  test('a cancelled request is reported as cancelled', async () => {
    const stop = new AbortController();
    stop.abort();
    const cause = new DOMException('stopped', 'AbortError');
    const request = createRequester(() => Promise.reject(cause), '/probe');
    expect(await failureOf(request('GET', '/x', { signal: stop.signal }))).toBe(cause);
  });

  test.each([
    [502, '<html>Bad gateway</html>'],
    [200, { hello: 'world' }],
    [200, refusal('COMMON500')],
    [400, refusal('MADE_UP')],
    [400, refusal('toString')],
    [500, { isSuccess: true, code: 'COMMON200', message: 'OK' }],
    [200, []],
    [200, 'null'],
  ])('an answer without an envelope is unreadable (%#)', async (status, body) => {
    if (status === 200 && typeof body === 'object' && 'code' in body) {
      // A refusal in an answer of 200 is still a refusal: the envelope counts.
      expect(await failureOf(answering(status, body).request('GET', '/x'))).toBeInstanceOf(ApiProblem);
    } else {
      expect(await failureOf(answering(status, body).request('GET', '/x'))).toBeInstanceOf(UnreadableAnswerError);
    }
  });

  test('tells a lost session from a wrong password', async () => {
    expect(isSessionLost(await failureOf(answering(401, refusal('COMMON401')).request('GET', '/x')))).toBe(true);
    expect(isSessionLost(await failureOf(answering(401, refusal('AUTH4011')).request('POST', '/x')))).toBe(false);
    expect(isSessionLost(new UnreachableError('x'))).toBe(false);
  });

  test('tells a conflict from other refusals', async () => {
    const of = (status: number, code: string, errors?: unknown) =>
      failureOf(answering(status, refusal(code, errors)).request('POST', '/x'));
    expect(isConflict(await of(409, 'COMMON409', [{ path: 'status', message: 'PUBLISHED' }]))).toBe(true);
    expect(isConflict(await of(412, 'COMMON412'))).toBe(true);
    expect(isConflict(await of(409, 'COMMON409', [{ path: 'body.edited_summary', message: 'blocked' }]))).toBe(false);
    expect(isConflict(await of(403, 'COMMON403'))).toBe(false);
    expect(isConflict(new Error('x'))).toBe(false);
  });

  test('an empty query is no question mark', () => {
    expect(queryString({ a: undefined, b: '' })).toBe('');
    expect(queryString({ a: 0 })).toBe('?a=0');
  });
});

describe('an API that accepts a request and never answers', () => {
  afterEach(() => vi.useRealTimers());

  const never = (signal: AbortSignal | null | undefined) =>
    new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));

  test('a read ends at its time limit and reports the silence', async () => {
    vi.useFakeTimers();
    const request = createRequester((_, { signal }) => never(signal), '/probe');
    const failure = failureOf(request('GET', '/x'));
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await failure).toBeInstanceOf(SilentError);
  });

  test('so does an answer that begins and never ends', async () => {
    vi.useFakeTimers();
    const request = createRequester(async (_, { signal }) => {
      const body = new ReadableStream({
        start: (controller) => signal?.addEventListener('abort', () => controller.error(new Error('aborted'))),
      });
      return new Response(body);
    }, '/probe');
    const failure = failureOf(request('GET', '/x'));
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await failure).toBeInstanceOf(SilentError);
  });

  test('a change with a lost answer, and the next one only after the API has answered', async () => {
    vi.useFakeTimers();
    const asked: string[] = [];
    const request = createRequester((input, { signal }) => {
      asked.push(input);
      return never(signal);
    }, '/probe');
    const lost = failureOf(request('POST', '/x'));
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await lost).toBeInstanceOf(AnswerLostError);
    const notSent = failureOf(request('POST', '/y'));
    await vi.advanceTimersByTimeAsync(ANSWER_MS);
    expect(await notSent).toBeInstanceOf(NotSentError);
    expect(asked).toEqual(['/x', '/probe']);
  });

  test('a request that the caller cancels does not count as silence', async () => {
    const over = new AbortController();
    const request = createRequester((_, { signal }) => never(signal), '/probe');
    const failure = failureOf(request('GET', '/x', { signal: over.signal }));
    over.abort();
    expect(await failure).not.toBeInstanceOf(UnreachableError);
  });
});
