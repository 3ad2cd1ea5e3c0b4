/** Asked for before anything else of a page runs, so that the words come while the rest is made ready. */
import { preferredLanguage } from '../theme/preferences.ts';
import { createI18n } from '../i18n/active-language.ts';

export const firstWords = createI18n(preferredLanguage());
