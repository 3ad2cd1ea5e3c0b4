import { describe, expect, test } from 'vitest';
import { ApiProblem, UnreachableError, UnreadableAnswerError } from '../../../shared/ui/http/request.ts';
import type { LiveState } from '../../api/live.ts';
import { asOf, outageOf } from './connection-state.ts';

const CUT: LiveState = { state: 'interrupted', since: new Date(9_000), lastSign: new Date(5_000) };
const problem = (status: number) =>
  new ApiProblem({ status, code: 'COMMON503', message: 'x', fieldErrors: [], requestId: null });
const NO_ANSWER = new UnreachableError('x');

describe('an outage', () => {
  test.each([
    ['no answer, with a network', CUT, NO_ANSWER, true, 'console.firm.example', 'DOWN'],
    ['no answer, without a network', CUT, NO_ANSWER, false, 'console.firm.example', 'OFFLINE'],
    ['no answer from this very computer, without a network', CUT, NO_ANSWER, false, '127.0.0.1', 'DOWN'],
    ['something else answers', CUT, new UnreadableAnswerError(502, null), true, 'console.firm.example', 'DOWN'],
    ['it is not ready', CUT, problem(503), true, 'localhost', 'DOWN'],
    ['the stream is cut, and it answers', CUT, null, true, 'localhost', null],
    ['it refuses', CUT, problem(403), true, 'localhost', null],
    ['the stream is open: the answer will come', { state: 'live' }, NO_ANSWER, true, 'localhost', null],
  ] as const)('%s', (_what, live, lastError, isOnline, host, outage) => {
    expect(outageOf(live, { lastError, isOnline, host })).toBe(outage);
  });
});

test('the data on screen are known to be right up to the last event or the last answer after it', () => {
  expect(asOf(CUT, 0)).toEqual(new Date(5_000));
  expect(asOf(CUT, 7_000)).toEqual(new Date(7_000));
  expect(asOf({ ...CUT, lastSign: null }, 0)).toBeNull();
});
