import { describe, expect, test } from 'vitest';
import { setupI18n } from '@lingui/core';
import { mergeCatalogues, sharedCatalogues } from './catalogue.ts';
import { compileCatalogue } from './compiled-messages.ts';

describe('catalogues', () => {
  const own = {
    ko: { 'test.files': '파일 {n}개' },
    en: { 'test.files': '{n, plural, one {# file} other {# files}}' },
  };

  test('a message takes its values in either language, and plurals where a language has them', () => {
    const catalogues = mergeCatalogues(own);
    const messages = { ko: compileCatalogue(catalogues.ko), en: compileCatalogue(catalogues.en) };
    const i18n = setupI18n({ locale: 'ko', messages });
    expect(i18n._('test.files', { n: 1 })).toBe('파일 1개');
    i18n.activate('en');
    expect(i18n._('test.files', { n: 1 })).toBe('1 file');
    expect(i18n._('test.files', { n: 3 })).toBe('3 files');
    expect(i18n._('state.loading')).toBe(sharedCatalogues.en['state.loading']);
    i18n.activate('ko');
    expect(i18n._('state.loading')).toBe(sharedCatalogues.ko['state.loading']);
  });

  test('an id that both catalogues have is refused', () => {
    const twice = { 'state.loading': 'x' };
    expect(() => mergeCatalogues({ ko: twice, en: twice })).toThrow(RangeError);
  });

  test('a message that is no valid ICU is refused', () => {
    expect(() => compileCatalogue({ broken: '{n, plural, one {x}' })).toThrow();
  });
});
