import { expect, test } from 'vitest';
import { redact } from './redact.ts';

const HOME = '/home/kim';

test.each([
  ['{"password":"a\\"b","x":1}', '{"password":"[hidden]","x":1}'],
  ['{"CAUSEWAY_ENGINE_TOKEN": "abc"}', '{"CAUSEWAY_ENGINE_TOKEN": "[hidden]"}'],
  ['CAUSEWAY_ENGINE_TOKEN=abc next', 'CAUSEWAY_ENGINE_TOKEN=[hidden] next'],
  ['cookie causeway_session=QWxhZGRpbg; path', 'cookie causeway_session=[hidden]; path'],
  ['Authorization: Bearer abc.def-1', 'Authorization: Bearer [hidden]'],
  ['a=1&session-token=abc&b', 'a=1&session-token=[hidden]&b'],
  ['x=token=abc', 'x=token=[hidden]'],
  ['said.postgres://user:pass@host/db', 'said.postgres://[hidden]@host/db'],
  ['postgres://user:pass@host/db', 'postgres://[hidden]@host/db'],
  ['told kim@firm.example so', 'told [e-mail] so'],
  ['/home/kim/.config/causeway', '~/.config/causeway'],
  ['-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----', '[private key]'],
  ['-----BEGIN EC PRIVATE KEY-----\nMIIE, cut off', '[private key]'],
])('%s', (text, hidden) => {
  expect(redact(text, HOME)).toBe(hidden);
});

test('text without a secret stays', () => {
  const line = '{"level":30,"msg":"window shown","url":"http://127.0.0.1:4300/"}';
  expect(redact(line, HOME)).toBe(line);
  expect(redact('x', '/')).toBe('x');
});
