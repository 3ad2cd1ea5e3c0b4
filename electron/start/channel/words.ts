/** The words of the page of a channel, in both languages; the text itself is as the provision API gave it. */
const ko = {
  title: '데모 채널: 고객이 보는 화면',
  about:
    '증권사 앱이 고객에게 보여 주는 카드입니다. 앱은 보여 주기 전에 매번 제공 API에 확인합니다. 공급사 운영 콘솔에서 이 설명을 철회하면 카드가 바로 꺼집니다.',
  app: '앱 화면',
  channels: '채널',
  ticker: '종목',
  why: '왜 움직였나',
  date: '거래일',
  asOf: '기준 시각',
  asking: '확인하고 있습니다.',
  dark: '지금 보여 드릴 설명이 없습니다.',
  darkSince: '꺼진 시각',
  unreachable: '확인할 수 없어 설명을 보여 드리지 않습니다.',
  none: '지금 이 채널에 제공 중인 설명이 없습니다.',
  asked: '앱이 보낸 요청',
  request: '요청',
  answer: '응답',
  count: '요청 횟수',
  changes: '화면이 바뀐 기록',
  SHOWN: '설명 표시',
  CHANGED: '다른 설명으로 바뀜',
  DARK: '설명 꺼짐',
  UNREACHABLE: '확인 실패',
  200: '200: 새 설명을 받았습니다.',
  304: '304: 가진 설명을 그대로 보여도 됩니다.',
  404: '404: 보여 줄 설명이 없습니다.',
  other: '응답 없음 또는 오류',
};

/** The page's languages; each names itself. */
export const LANGUAGES = { ko: '한국어', en: 'English' } as const;
export type Language = keyof typeof LANGUAGES;

export type Word = keyof typeof ko;

export const WORDS: Readonly<Record<Language, Readonly<Record<Word, string>>>> = {
  ko,
  en: {
    title: 'Demo channel: what a customer sees',
    about:
      'The card of a brokerage app. Before each showing the app asks the provision API. Withdraw this explanation in the operator console, and the card goes dark at once.',
    app: 'Screen of the app',
    channels: 'Channel',
    ticker: 'ETF',
    why: 'Why it moved',
    date: 'Trade date',
    asOf: 'As of',
    asking: 'Asking.',
    dark: 'There is no explanation to show now.',
    darkSince: 'Dark since',
    unreachable: 'The app cannot ask, so it shows no explanation.',
    none: 'This channel is given no explanation now.',
    asked: 'What the app asked',
    request: 'Request',
    answer: 'Answer',
    count: 'Requests so far',
    changes: 'What changed on the screen',
    SHOWN: 'Explanation shown',
    CHANGED: 'Replaced by another explanation',
    DARK: 'Card went dark',
    UNREACHABLE: 'Could not ask',
    200: '200: an explanation that the app did not have.',
    304: '304: the explanation that the app has may be shown.',
    404: '404: nothing may be shown.',
    other: 'No answer, or an error',
  },
};
