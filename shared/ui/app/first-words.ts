/** Requested before any other code of a page runs, so that the words load while the rest is prepared. */
import { preferredLanguage } from '../theme/preferences.ts';
import { createI18n } from '../i18n/active-language.ts';

export const firstWords = createI18n(preferredLanguage());
