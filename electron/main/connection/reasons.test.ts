import { expect, test } from 'vitest';
import { reasonWords } from './reasons.ts';

test.each([
  ['ERR_CONNECTION_REFUSED', 'No server answers'],
  ['net::ERR_NAME_NOT_RESOLVED', 'name of the server'],
  ['ERR_TIMED_OUT', 'within the time'],
  ['ERR_CONNECTION_TIMED_OUT', 'within the time'],
  ['ERR_INTERNET_DISCONNECTED', 'not connected'],
  ['ERR_PROXY_CONNECTION_FAILED', 'proxy'],
  ['ERR_SSL_PROTOCOL_ERROR', 'TLS'],
  ['HTTP 503', 'fault'],
  ['HTTP 404', 'no console'],
])('%s is said in both languages', (reason, words) => {
  expect(reasonWords(reason)?.en).toContain(words);
  expect(reasonWords(reason)?.ko).toMatch(/\p{Script=Hangul}/u);
});

test('a reason without a translation is shown as it is', () => {
  expect(reasonWords('ERR_SOMETHING_ELSE')).toBeNull();
  expect(reasonWords('exit code 70')).toBeNull();
});
