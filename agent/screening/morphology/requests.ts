/**
 * Whether a sentence asks its reader to act: an imperative, a request, an advice. By its letters, because the analyser takes
 * the inflected form of a verb that it does not know for a noun (`순매수하세요`); and by its grammar, because advice has more forms
 * than a list of letters: a courteous verb speaks of the reader, and a statement that weighs an act advises it.
 */
import type { Morpheme } from './sentence.ts';

const REQUEST = new RegExp(
  [
    // 하세요, 담으셔요, 하십시오, 하시오, 합시다, 하시죠: at the end of a word.
    '(?:세요|셔요|십시오|시오|[가-힣]시다|시죠|셔도|셔야)(?![가-힣])',
    // 사라, 담아라, 하자, 하라, 해라, 해요: at the end of the sentence.
    '(?:하자|하라|해라|아라|어라|사라|해요|보자|가자)(?=[\\s.!?…"\'”’)]*$)',
    // 권합니다, 권해 드립니다, 추천합니다, 바랍니다, 부탁드립니다.
    '(?:권(?:합니다|한다|해|하며|하고|유|장)|추천|바랍니다|바란다|바라며|부탁|제안합니다|제안드|조언)',
    // 하면 됩니다, 해 보시길, 할 만합니다, 할 필요가 있습니다, 하는 건 어떨까요.
    '면\\s*(?:됩니다|된다|돼요|좋|유리)|시길|만\\s?(?:합니다|하다|해요|한)|필요(?:가|는|도)?\\s*있|어떨까|어떠신가',
    // 했으면 합니다, 하십니다.
    '[았었했였갔왔샀됐겼]으면\\s*(?:합|한|해|좋|싶)|십니[다까](?![가-힣])',
    // 지금이 적기, 유효합니다, 답입니다, 키워야겠습니다: what is so now, and for whom.
    '(?<![가-힣])(?:지금(?!까지|껏|은)|적기|정?답[이입]|우리[도가]|저희[와도])|여러분|고객님|함께\\s*(?:갑니다|가요|가시)|유효[하합한]|야겠|필요한\\s*(?:시점|때)|[을할]수록\\s*좋',
    // 사야 합니다, 해야 한다, 하는 것이 좋습니다, 할 때입니다.
    '야\\s*(?:합니다|한다|할|하겠|해요)|(?:것[이도을]?|게|편이|쪽이)\\s*(?:좋|낫|유리|현명|바람직)|(?:ㄹ|[가-힣])\\s*(?:때|타이밍|기회|적기)(?:입니다|이다|다)',
  ].join('|'),
);

/** A notice of care asks for no act: `유의하시기 바랍니다`. What else the sentence says stays. */
const CARE =
  /(?:유의|주의|참고|참조|숙지|양지|확인)(?:(?:하여|해)?\s?(?:하|주)?(?:세요|십시오|시기\s?바랍니다|시길\s?바랍니다)|할\s?필요가\s?있)/g;
const COURTEOUS = /[가-힣](?:시[고며면는기길어]|신[다\s]|실\s|셔|세요|십)/;

export function asksToAct(sentence: string, morphemes: readonly Morpheme[]): boolean {
  const said = sentence.replaceAll(CARE, '');
  if (said !== sentence && !COURTEOUS.test(said)) return REQUEST.test(said);
  return REQUEST.test(sentence) || isCourteous(morphemes) || weighsAnAct(morphemes);
}

/** Whether an expression begins with the courtesy of a verb, whatever the verb is: `실 수 있`, `시는 것`. */
export const beginsWithCourtesy = (expression: string): boolean =>
  /^(?:실\s|시(?:는\s|면|려면|더라도)|셔[도야])/.test(expression);

/** The courtesy of a verb. */
export const isCourtesy = ({ text, tag }: Morpheme): boolean => tag === 'EP' && /^으?[시셔]$/.test(text);

/** Whether a sentence speaks to its reader: it asks him, or does something for him (`드립니다`). */
export const speaksToReader = (sentence: string, morphemes: readonly Morpheme[]): boolean =>
  morphemes.some(({ text, tag }) => tag.startsWith('V') && text.endsWith('드리')) || asksToAct(sentence, morphemes);

/** Whether a verb is courteous (`키우실`) and of nobody in the text (`회장께서`): it is the reader's. */
const isCourteous = (morphemes: readonly Morpheme[]): boolean =>
  morphemes.some(isCourtesy) && !morphemes.some(({ text }) => text === '께서');

/** What a report says of an act to come: what is planned, likely or possible. All else weighs it. */
const REPORTED = new Set('것 거 수 예정 계획 방침 전망 모양 셈 정도'.split(' '));

/**
 * Whether a statement that is not of the past weighs an act: `늘릴 시점입니다`, `동참하는 것이 정답입니다`, `늘릴 것을 조언합니다`. One of the past
 * is a report of what somebody else has weighed.
 */
function weighsAnAct(morphemes: readonly Morpheme[]): boolean {
  const end = morphemes.findLastIndex(({ tag }) => tag === 'EF');
  const said = morphemes.slice(0, end);
  const predicate = said.findLastIndex(({ tag }) => /^(?:VV|VA|VCP|XS[VA])/.test(tag));
  if (end === -1 || said.slice(predicate).some(({ tag, text }) => tag === 'EP' && /^[았었]$/.test(text))) return false;
  const isState = /^(?:VA|VCP)/.test(said[predicate]?.tag ?? '');
  return said.some(({ tag, text }, n) => {
    const [noun, particle] = [said[n + 1], said[n + 2]];
    if (tag !== 'ETM' || noun === undefined || !/^[ㄹ을는]$/.test(text)) return false;
    if (!/^[것거게]$/.test(noun.text))
      return text !== '는' && n + 2 === predicate && particle?.tag === 'VCP' && !REPORTED.has(noun.text);
    if (text !== '는' && particle?.tag === 'JKO') return true;
    return isState && /^(?:JKS|JX)/.test(particle?.tag ?? '');
  });
}
