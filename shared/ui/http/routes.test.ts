import { describe, expect, test } from 'vitest';
import type { RequestOptions } from './request.ts';
import { abortable, createCaller, pathOf } from './routes.ts';

describe('calling by route', () => {
  test('an id cannot change its path', () => {
    expect(pathOf('/api/v1/explanations/{id}/stop', { id: '../members?x#y' })).toBe(
      '/api/v1/explanations/..%2Fmembers%3Fx%23y/stop',
    );
    expect(() => pathOf('/api/v1/explanations/{id}')).toThrow(RangeError);
  });

  test('a call becomes method, path and the other arguments', async () => {
    const calls: unknown[] = [];
    const call = createCaller<{ 'POST /a/{id}/b': string }>((method, path, options: RequestOptions = {}) => {
      calls.push([method, path, options]);
      return Promise.resolve('done');
    });
    expect(await call('POST /a/{id}/b', { params: { id: 'x/1' }, body: { reason: 'r' } })).toBe('done');
    expect(calls).toEqual([['POST', '/a/x%2F1/b', { body: { reason: 'r' } }]]);
  });

  test('a signal is passed on only when given', () => {
    const { signal } = new AbortController();
    expect([abortable(signal), abortable(undefined)]).toEqual([{ signal }, {}]);
  });
});
