/** The languages of the screens. Korean comes first: the product is used in it. */
export const LANGUAGES = ['ko', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language under its own name, so that a person who reads only that language finds it. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { ko: '한국어', en: 'English' };

export function isLanguage(value: unknown): value is Language {
  return (LANGUAGES as readonly unknown[]).includes(value);
}

/** Korean if the system prefers it to English or knows neither; English otherwise. */
export function languageOfSystem(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const language = tag.toLowerCase().split('-')[0];
    if (isLanguage(language)) return language;
  }
  return preferred.length === 0 ? 'ko' : 'en';
}
