import { expect, test } from 'vitest';
import { REASON_CODES } from '../../../shared/wire/console/console.ts';
import { REASON_WORDS } from '../../../shared/wire/console/audit-words.ts';
import { en } from '../../i18n/en.ts';
import { ko } from '../../i18n/ko.ts';

test.each(REASON_CODES)('%s has one name, on the screens and in the audit log', (code) => {
  expect(REASON_WORDS[code]).toEqual([ko[`reason.${code}`], en[`reason.${code}`]]);
});
