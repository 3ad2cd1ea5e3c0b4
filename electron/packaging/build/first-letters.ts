const encoding = new TextDecoder('euc-kr');

/** The syllables of KS X 1001: rows 16 to 40 of 94 each. */
const SYLLABLES = new Set(
  Array.from({ length: 25 * 94 }, (_, index) =>
    encoding.decode(new Uint8Array([0xb0 + Math.floor(index / 94), 0xa1 + (index % 94)])),
  ),
);

/** Whether a character is in the fonts that the page preloads: every one but rare syllables. */
export const isFirst = (character: string): boolean => !/[가-힣]/u.test(character) || SYLLABLES.has(character);
