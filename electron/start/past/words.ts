/** The texts that people of the past write: reasons, comments and questions, in the style of a firm's reviewers. */
export const APPROVED = [
  '근거 자료와 수치를 대조했습니다.',
  '출처 두 곳의 내용이 설명과 일치합니다.',
  '표현이 중립적이고 근거가 충분합니다.',
  '불확실하다는 점이 문장에 드러나 있어 그대로 제공합니다.',
];
export const EDITED = [
  '단정적으로 읽힐 수 있는 표현을 고쳤습니다.',
  '권유로 오해될 수 있는 낱말을 바꾸었습니다.',
  '과장으로 읽힐 수 있는 표현을 낮추었습니다.',
];
export const REJECTED = [
  '근거로 든 기사와 가격 변동의 시점이 맞지 않습니다.',
  '한 곳의 보도만으로 원인을 설명하고 있어 근거가 부족합니다.',
  '같은 내용의 설명이 이미 제공되고 있습니다.',
  '수치가 공시와 달라 확인이 필요합니다.',
];
export const BLOCKED = [
  '수익을 보장하는 것으로 읽히는 표현이 있어 제공할 수 없습니다.',
  '투자를 권유하는 표현이 있어 제공할 수 없습니다.',
];
export const STOPPED = [
  '고객센터로 수치가 다르다는 문의가 들어와 제공을 중지합니다.',
  '근거 기사가 정정되어 확인할 때까지 제공을 중지합니다.',
  '발행사에서 사실과 다르다고 알려와 제공을 중지합니다.',
  '장중 상황이 바뀌어 설명이 더 이상 맞지 않습니다.',
];
export const QUESTIONS = [
  '이 표현이 단정적 판단에 해당하는지 의견을 부탁드립니다.',
  '출처가 한 곳인데 그대로 제공해도 되겠습니까?',
  '불확실하다는 문구로 충분한지 봐 주십시오.',
];
export const OPINIONS = [
  '근거가 문장 안에 있어 제공해도 된다고 봅니다.',
  '표현을 한 단계 낮추면 문제가 없겠습니다.',
  '출처를 더 확인하기 전에는 어렵다고 봅니다.',
];
export const NOTES = [
  '담당 부서에 수치를 확인했습니다.',
  '오전 회의에서 다룬 사례와 같은 유형입니다.',
  '정정 공시 여부를 확인 중입니다.',
];
export const BLIND_REASONS = [
  '저도 같은 근거로 판단했습니다.',
  '표현의 수위를 기준으로 판단했습니다.',
  '출처의 수를 기준으로 판단했습니다.',
];

/** A reviewer replaces a word that the policy flags; a text without one gets a closing sentence. */
const SOFTER: readonly [RegExp, string][] = [
  [/(?<!불)확실/g, '뚜렷'],
  [/최고 수준/g, '높은 수준'],
  [/최고(?![가치경])/g, '상위'],
  [/반드시/g, '대체로'],
  [/급등 예상/g, '상승 가능성'],
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
