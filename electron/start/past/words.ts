/** The texts that people of the past write (`words.json`), and how a reviewer rewrites one. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

const list = z.array(z.string()).min(1);
export const words = z
  .strictObject({
    approved: list,
    edited: list,
    rejected: list,
    blocked: list,
    stopped: list,
    questions: list,
    opinions: list,
    notes: list,
    blind_reasons: list,
  })
  .parse(JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8')));

/** A reviewer replaces a word that the policy flags; a text without one gets a closing sentence. */
const SOFTER: readonly [RegExp, string][] = [
  [/(?<!불)확실/g, '뚜렷'],
  [/최고 수준/g, '높은 수준'],
  [/최고(?![가치경])/g, '상위'],
  [/반드시/g, '대체로'],
  [/급등 예상/g, '관심 증가'],
  [/목표수익/g, '기대 성과'],
  [/절대수익/g, '안정 추구'],
  [/따박따박/g, '정기적으로'],
  [/월급처럼/g, '주기적으로'],
];
export const SOURCES_SENTENCE = ' 자세한 내용은 근거 자료를 함께 확인하시기 바랍니다.';

export function softened(text: string): string {
  const changed = SOFTER.reduce((said, [word, other]) => said.replaceAll(word, other), text);
  return changed === text ? `${text}${SOURCES_SENTENCE}` : changed;
}
