/** Asked for before anything else of a page runs, so that the words come while the rest is made ready. */
import { preferredLanguage } from '../preferences.ts';
import { createI18n } from './active-language.ts';

export const firstWords = createI18n(preferredLanguage());
