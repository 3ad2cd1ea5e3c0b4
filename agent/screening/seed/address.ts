/**
 * Words that speak to the reader: what is done for him, what he may do. An explanation of a price reports and addresses nobody,
 * so whoever is addressed is being won. Each is the end of a statement, found by its letters behind any verb.
 */
import { clear, pairs, words } from './words.ts';

/** Notices of care are no request, in whatever words a firm has them. */
const CARE = [
  ...['유의', '주의', '참고', '참조', '숙지', '양지'].flatMap((care) =>
    ['하세요', '하십시오', '하시기 바랍니다', '하시길 바랍니다', '해 주십시오', '해 주시기 바랍니다'].map(
      (end) => care + end,
    ),
  ),
  '확인하십시오',
  '확인하시기 바랍니다',
  '확인해 주시기 바랍니다',
].map(clear);

export const ADDRESS = [
  ...words(
    'REVIEW',
    'SOLICITATION',
    {
      'done-for-you': '드립니다',
      'done-for-you-softly': '드려요',
      'will-do-for-you': '드리겠습니다',
      'will-do-for-you-softly': '드릴게요',
      'can-do-for-you': '드릴 수 있습니다',
      'you-will-do': '시면 됩니다',
      'you-will-do-softly': '시면 돼요',
      'you-may': '셔도 됩니다',
      'you-may-well': '셔도 좋습니다',
      'you-can': '실 수 있습니다',
      'you-must': '셔야 합니다',
      'you-had-better': '시는 것이 좋습니다',
      'you-had-better-softly': '시는 게 좋습니다',
      'your-side': '시는 편이',
      'your-other-side': '시는 쪽이',
      'your-thing': '시는 게',
      'your-thing-plainly': '시는 것',
      'your-person': '시는 분',
      'your-possibility': '실 수 있',
      'your-reason': '실 이유',
      'your-moment-plainly': '실 시점',
      'your-time-plainly': '실 때',
      'your-chance-plainly': '실 기회',
      'your-need': '실 필요',
      'your-worth': '실 만하',
      'your-worth-formally': '실 만합',
      'when-you-wish': '시려면',
      'if-you': '시면',
      'though-you': '시더라도',
      'you-do': '십니다',
      'though-you-softly': '셔도',
      'you-have-to': '셔야',
      'us-ourselves': '저희',
      'dear-customer': '고객님',
      'all-of-you': '여러분',
      'as-an-investor': '투자자라면',
      'let-us': '시죠',
      'your-time': '실 때입니다',
      'your-moment': '실 시점입니다',
      'your-chance': '실 기회입니다',
    },
    { lettersOnly: true },
  ),
  ...words(
    'REVIEW',
    'SOLICITATION',
    {
      'please-do': '세요',
      'please-do-formally': '십시오',
      'wish-you-do': '시기 바랍니다',
      'wish-you-do-shortly': '시길 바랍니다',
    },
    { lettersOnly: true, exceptions: CARE },
  ),
  // What is weighed for the reader, as a statement of its own: a report says who has weighed it.
  ...words(
    'REVIEW',
    'SOLICITATION',
    {
      'is-needed': '필요가 있습니다',
      'is-not-needed': '필요가 없습니다',
      'is-not-needed-at-all': '필요는 없습니다',
    },
    {
      lettersOnly: true,
      exceptions: ['유의', '주의', '확인', '숙지'].map((care) => clear(`${care}할 필요가 있습니다`)),
    },
  ),
  ...pairs(
    'SOLICITATION',
    { look: '볼 ', act: '할 ', take: '을 ', buy: '살 ', lay: '둘 ', raise: '릴 ', go: '갈 ' },
    { 'is-worth': '만합니다', 'is-worth-softly': '만해요' },
    { lettersOnly: true },
  ),
];
