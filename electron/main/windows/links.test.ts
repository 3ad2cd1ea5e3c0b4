import { expect, test } from 'vitest';
import { caseAddress, linkAmong, pathOf, readLink } from './links.ts';

test.each([
  ['causeway://review/3f2a-01', '/review/3f2a-01'],
  ['causeway://explanations/e.1', '/explanations/e.1'],
])('%s leads to %s', (link, path) => {
  const route = readLink(link);
  expect(route === null ? null : pathOf(route)).toBe(path);
});

test.each([
  'causeway://review/',
  'causeway://review',
  'causeway://settings/x',
  'causeway://review/../explanations/x',
  'causeway://review/a/b',
  'causeway://review/a%2Fb',
  'causeway://review/a?next=https://evil.example',
  'causeway://review/a#x',
  'causeway://user@review/a',
  'causeway://review:80/a',
  'causeway:review/a',
  'https://review/a',
  'javascript:alert(1)',
  `causeway://review/${'a'.repeat(200)}`,
  'no link',
])('%s leads nowhere', (link) => {
  expect(readLink(link)).toBeNull();
});

test('the link is found among the other arguments', () => {
  expect(linkAmong(['--no-sandbox', 'causeway://review/a'])).toBe('causeway://review/a');
  expect(linkAmong(['--no-sandbox'])).toBeNull();
});

const CONSOLE = new URL('https://console.firm:4300');

test.each(['/review/3f2a-01', '/explanations/e.1', '/case/3f2a-01'])('%s of the console is a case', (path) => {
  expect(caseAddress(new URL(path, CONSOLE).href, CONSOLE)?.pathname).toBe(path);
  expect(caseAddress(new URL(path, CONSOLE).href, null)).toBeNull();
});

test.each([
  'https://console.firm/review/a',
  'http://console.firm:4300/review/a',
  'https://user@console.firm:4300/review/a',
  'https://console.firm:4300/review/a?as=b',
  'https://console.firm:4300/review/a#b',
  'https://console.firm:4300/review/a/b',
  'https://console.firm:4300/review/',
  'https://console.firm:4300/review/%2e%2e',
  'https://console.firm:4300//review/a',
  'https://console.firm:4300/settings/members',
  'https://console.firm:4300/',
  'about:blank',
  '',
])('%s is none', (address) => {
  expect(caseAddress(address, CONSOLE)).toBeNull();
});
