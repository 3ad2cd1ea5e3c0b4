import { describe, expect, test } from 'vitest';
import { makeAuthority } from '../../../test/support/pki.ts';
import { certificateBlocks, certificatesOf, PemError, pemBlocks } from './pem.ts';

const one = (await makeAuthority()).ca.trim();
const two = (await makeAuthority()).ca.trim();

test('whole blocks, with text between them, with and without a line end at the end', () => {
  for (const text of [
    `${one}\n${two}`,
    `\ufeff# the first\nSerial Number: 1b:2c\n${one}\r\nBag Attributes\n${two}\n\n`,
    `${one}${two}`,
  ])
    expect(certificateBlocks(text)).toEqual([one, two]);
  expect(
    pemBlocks(`-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n${one}`).map(({ label }) => label),
  ).toEqual(['PUBLIC KEY', 'CERTIFICATE']);
  for (const text of ['', 'no certificate']) expect(certificatesOf(text)).toEqual([]);
});

test('a second block that is cut at any character is refused, not passed over', () => {
  for (const between of ['\n', '\r\n', '\n\n', '\n# the next one - from 2027 on\n', '']) {
    const whole = `${one}${between}`;
    for (let length = 1; length < two.length; length += 1) {
      const text = whole + two.slice(0, length);
      expect(() => pemBlocks(text), text.slice(whole.length)).toThrow(PemError);
    }
    expect(pemBlocks(whole)).toHaveLength(1);
    expect(pemBlocks(whole + two)).toHaveLength(2);
  }
});

test('text beside the blocks may hold dashes, but no line that ends in one', () => {
  for (const text of [`subject=CN=a - b\n${one}\nRoot-CA\n- in use since 2026\n`, `${one}\n \n`])
    expect(pemBlocks(text)).toHaveLength(1);
  for (const text of [`${one}\n-`, `${one}\n -`, `${one}-`, `${one}\n-\n`, `${one}\n--`])
    expect(() => pemBlocks(text)).toThrow('holds a line of dashes that begins no block');
});

describe('a text that is not whole says what is wrong', () => {
  test.each([
    ['a block in a block', `-----BEGIN CERTIFICATE-----\nAA==\n${one}`, 'holds a block CERTIFICATE without its end'],
    ['an end alone', `${one}\n-----END CERTIFICATE-----`, 'holds the end of a block CERTIFICATE without its beginning'],
    ['another end', one.replace('END CERTIFICATE', 'END PUBLIC KEY'), 'holds the end of a block PUBLIC KEY'],
    ['a cut in the middle', one.replace(/\n.{64}\n/, '\n'), 'holds a certificate that cannot be read'],
    [
      'dashes of a mail program',
      `${one}\n${two.replaceAll('-----', '—–—–')}`,
      'holds a line of dashes that begins no block',
    ],
    ['a block without its marks', `${one}\n${two.split('\n').slice(1, -1).join('\n')}`, 'without its marks'],
    [
      'a quoted one',
      `${one}\n${two.split('\n').slice(1, -1).join('\n').replaceAll(/^/gmu, '> ')}`,
      'without its marks',
    ],
    ['UTF-16 after UTF-8', `${one}\n${Buffer.from(two, 'utf16le').toString()}`, 'holds bytes that are no text'],
    ['zeros', `${one}\n${'\0'.repeat(900)}`, 'holds bytes that are no text'],
    [
      'another name of it',
      `${one}\n${two.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')}`,
      'holds a block X509 CERTIFICATE',
    ],
    ['a beginning alone', `${one}\n-----BEGIN CERT`, 'holds a line of dashes that begins no block'],
  ])('%s', (_name, text, sentence) => {
    expect(() => certificatesOf(text)).toThrow(sentence);
  });
});
