import { expect, test } from 'vitest';
import { jsonLog } from './log.ts';

test('one JSON line per event, in the shape of the services', () => {
  const lines: string[] = [];
  const log = jsonLog((line) => void lines.push(line), { now: () => new Date(1_700_000_000_000) }, 42);
  log.info('window shown', { url: 'http://127.0.0.1:4300/' });
  log.error('two\nlines');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    {
      level: 30,
      time: 1_700_000_000_000,
      pid: 42,
      part: 'console',
      url: 'http://127.0.0.1:4300/',
      msg: 'window shown',
    },
    { level: 50, time: 1_700_000_000_000, pid: 42, part: 'console', msg: 'two\nlines' },
  ]);
  for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
});
