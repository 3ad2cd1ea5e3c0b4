/**
 * Sentences around a forbidden word, made by inflection: what it may look like in a text, and what only resembles it. Whether
 * the word catches them is for the matcher to say.
 */
import { partsOf, type Part } from './parts.ts';

/** How a word is read: its parts as people write them, none where it is found by its letters alone. @throws as `analyse` */
export const readPartsOf = (word: string): string[] => partsOf(word).map(nameOf);

const nameOf = ({ morphemes, isVerb, isFuture }: Part): string =>
  isFuture ? 'ㄹ 것' : `${morphemes.join('')}${isVerb ? '다' : ''}`;

/** At least six sentences. @throws as `analyse` */
export function examplesOf(word: string): string[] {
  const letters = Array.from(word.replaceAll(/\s/gu, ''));
  const spelled = [`${word} 상품입니다.`, `${letters.join(' ')} 상품입니다.`, `${letters.join('·')} 상품입니다.`];
  const parts = partsOf(word);
  const last = parts.at(-1);
  if (last === undefined)
    return [
      ...spelled,
      `${word}${afterNoun(word, '이', '가')} 아닙니다.`,
      `미${word} 상품입니다.`,
      `재${letters.join('')}성 상품입니다.`,
    ];
  const said = parts.map(({ morphemes }) => morphemes.join(''));
  const [a, b] = [said.slice(0, -1).join(' '), said.at(-1) ?? ''];
  if (last.isFuture) return [...spelled, ...ofFuture(a)];
  return [...spelled, ...(last.isVerb ? ofVerb(a, b) : ofNouns(a, b))];
}

const ofNouns = (a: string, b: string): string[] => [
  `${a}${afterNoun(a, '이', '가')} ${b}되는 상품입니다.`,
  `${a}${afterNoun(a, '을', '를')} 전액 ${b}합니다.`,
  `${b}된 ${a}입니다.`,
  `${a} ${b}${afterNoun(b, '이', '가')} 되지 않습니다.`,
  `${a}${afterNoun(a, '은', '는')} 줄었고 ${b}${afterNoun(b, '은', '는')} 늘었습니다.`,
  `${a} 관련 소식이 있었습니다.`,
  `${b} 관련 소식이 있었습니다.`,
];

const ofFuture = (a: string): string[] => [
  `${a}${afterNoun(a, '이', '가')} 나올 것입니다.`,
  `${a}${afterNoun(a, '이', '가')} 나오겠습니다.`,
  `${a}${afterNoun(a, '이', '가')} 나올 듯합니다.`,
  `${a}${afterNoun(a, '이', '가')} 나왔습니다.`,
];

const ofVerb = (a: string, verb: string): string[] => [
  `${a}${afterNoun(a, '이', '가')} 전혀 ${verb}습니다.`,
  `${a}${afterNoun(a, '이', '가')} ${verb}지 않습니다.`,
  `${a}${afterNoun(a, '을', '를')} 줄였고 비용이 ${verb}습니다.`,
  `${a}${afterNoun(a, '이', '가')} 커졌습니다.`,
];

const afterNoun = (noun: string, closed: string, open: string): string => {
  const code = noun.charCodeAt(noun.length - 1) - 0xac00;
  return code >= 0 && code < 11_172 && code % 28 > 0 ? closed : open;
};
