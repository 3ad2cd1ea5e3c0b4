/** The settings file of a service: what is taken, and what is refused with its line. */
import { expect, test } from 'vitest';
import { parseSettingsFile, SettingsFileError } from './environment-file.ts';

const parse = (text: string): Record<string, string> => parseSettingsFile(text, 'a.env');

test('comments, blanks, line ends of Windows, values with = and # in them', () => {
  expect(parse('\uFEFF# note\r\n\r\nCAUSEWAY_A=1\r\n  CAUSEWAY_B= two words \nHTTPS_PROXY=a=b#c\nNO_PROXY=')).toEqual({
    CAUSEWAY_A: '1',
    CAUSEWAY_B: 'two words',
    HTTPS_PROXY: 'a=b#c',
    NO_PROXY: '',
  });
});

test.each([
  ['A', 'a.env, line 1: must be NAME=VALUE, or begin with # to say nothing.'],
  ['A =1', 'a.env, line 1: must be NAME=VALUE, or begin with # to say nothing.'],
  ['CAUSEWAY_A=1\nCAUSEWAY_A=2', 'a.env, line 2: CAUSEWAY_A stands there already, and only one of them would count.'],
  [
    '\nCAUSEWAY_A="1"',
    'a.env, line 2: the value of CAUSEWAY_A holds a quote or a backslash, which not everybody reads alike: write / in paths.',
  ],
  [
    'CAUSEWAY_A=C:\\pki',
    'a.env, line 1: the value of CAUSEWAY_A holds a quote or a backslash, which not everybody reads alike: write / in paths.',
  ],
  ...['NODE_OPTIONS', 'LD_PRELOAD', 'PATH', 'causeway_ledger', 'NODE_EXTRA_CA_CERTS'].map((name) => [
    `${name}=x`,
    `a.env, line 1: ${name} is no setting of Causeway, and the program itself could obey it: take the line out.`,
  ]),
] as [string, string][])('refuses %j', (text, message) => {
  expect(() => parse(text)).toThrow(new SettingsFileError(message));
});
