/**
 * Whether a sentence asks its reader to act: an imperative, a request, an advice. By its letters, because the analyser takes
 * the inflected form of a verb that it does not know for a noun (`순매수하세요`).
 */
const REQUEST = new RegExp(
  [
    // 하세요, 담으셔요, 하십시오, 하시오, 합시다, 하시죠: at the end of a word.
    '(?:세요|셔요|십시오|시오|[가-힣]시다|시죠|셔도|셔야)(?![가-힣])',
    // 사라, 담아라, 하자, 하라, 해라, 해요: at the end of the sentence.
    '(?:하자|하라|해라|아라|어라|사라|해요|보자|가자)(?=[\\s.!?…"\'”’)]*$)',
    // 권합니다, 권해 드립니다, 추천합니다, 바랍니다, 부탁드립니다.
    '(?:권(?:합니다|한다|해|하며|하고|유|장)|추천|바랍니다|바란다|바라며|부탁|제안합니다|제안드)',
    // 하면 됩니다, 해 보시길, 할 만합니다, 할 필요가 있습니다, 하는 건 어떨까요.
    '면\\s*(?:됩니다|된다|돼요|좋|유리)|시길|만\\s?(?:합니다|하다|해요)|필요(?:가|는|도)?\\s*있|어떨까|어떠신가',
    // 사야 합니다, 해야 한다, 하는 것이 좋습니다, 할 때입니다.
    '야\\s*(?:합니다|한다|할|하겠|해요)|(?:것[이도을]?|게|편이|쪽이)\\s*(?:좋|낫|유리|현명|바람직)|(?:ㄹ|[가-힣])\\s*(?:때|타이밍|기회|적기)(?:입니다|이다|다)',
  ].join('|'),
);

export const asksToAct = (sentence: string): boolean => REQUEST.test(sentence);
