import { expect, test } from 'vitest';
import { diagnosticsName, diagnosticsOf } from './diagnostics.ts';

const AT = new Date('2026-11-20T09:30:00.000Z');

test('has versions, state and log, and no secret', () => {
  const text = diagnosticsOf({
    at: AT,
    versions: { causeway: '0.1.0' },
    system: { platform: 'linux' },
    console: { mode: 'connected', address: 'https://console.firm.example/', shown: true },
    env: {
      CAUSEWAY_CONSOLE_DATA: '/home/kim/data',
      CAUSEWAY_ENGINE_TOKEN: 'abc',
      HOME: '/home/kim',
      AWS_SECRET_KEY: 'x',
    },
    log: '{"msg":"window shown"}\n{"msg":"x","cookie":"causeway_session=1"}\n',
    home: '/home/kim',
  });
  expect(JSON.parse(text)).toEqual({
    madeAt: '2026-11-20T09:30:00.000Z',
    versions: { causeway: '0.1.0' },
    system: { platform: 'linux' },
    console: { mode: 'connected', address: 'https://console.firm.example/', shown: true },
    variables: { CAUSEWAY_CONSOLE_DATA: '~/data', CAUSEWAY_ENGINE_TOKEN: '[hidden]' },
    log: ['{"msg":"window shown"}', '{"msg":"x","cookie":"[hidden]"}'],
  });
});

test('is named by its time', () => expect(diagnosticsName(AT)).toBe('causeway-diagnostics-20261120-093000.json'));
