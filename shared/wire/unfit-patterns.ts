/** What unfit texts look like (`unfit.ts`). Each repetition is bounded, so that a search takes linear time. */

const anyOf = (patterns: readonly RegExp[], flags = 'gu'): RegExp =>
  new RegExp(patterns.map(({ source }) => `(?:${source})`).join('|'), flags);

/** A whole tag and its name. */
export const TAG = /^<\/?([A-Za-z][\w.:-]*)\s*\/?>$/;

/** Where a browser begins a tag, a comment or a reference; and what renderers of Markdown and of chats take for marks. */
export const MARKUP = anyOf([
  /<\/?[A-Za-z][^<>]{0,200}>?/u,
  /<[!?]|<\/\S/u,
  /&#(?:\d{1,8}|[xX][\da-fA-F]{1,8});?/u,
  /&[A-Za-z][A-Za-z\d]{1,31};/u,
  /&(?:nbsp|shy|amp|lt|gt|quot|copy|reg|middot|laquo|raquo|deg|plusmn|times)(?![A-Za-z])/u,
  /\[[^[\]\n]{1,300}\]\((?=\)|[^()\n]{0,300}[/.:#?…])[^()\n]{0,300}\)/u,
  /\[[^[\]\n]{1,300}\]\[[^[\]\n]{0,100}\]/u,
  /\*\*[^\s*][^*\n]{0,300}\*\*/u,
  /(?<![\p{L}\p{N}_])__[^\s_][^_\n]{0,300}__(?![\p{L}\p{N}_])/u,
  /`[^`\n]{1,300}`|```/u,
  /(?<=^|\n)#{1,6} /u,
  /\[\/?(?:b|i|u|url|color|size|img)(?:=[^\]\n]{0,200})?\]/u,
]);

const FIELD =
  '(?:종목|회사|기업|펀드|상품|ETF|고객|업종|티커|지수|기관)\\s?(?:명|이름|코드)|이름|날짜|일자|수치|금액|내용|본문|문구|제목|숫자|빈칸|값';
const NAME =
  'NAME|DATE|TICKER|COMPANY|TITLE|SUMMARY|TEXT|VALUE|NUMBER|PRICE|AMOUNT|PERCENT|REASON|PLACEHOLDER|[A-Z][A-Z\\d]{0,40}_[A-Z\\d_]{1,40}';

/** With a sign. */
export const PLACEHOLDER = anyOf([
  /\{\{[^{}\n]{0,60}\}\}|[$#]\{[^{}\n]{0,60}\}|\{\{|\}\}|[$#]\{|\{%|%\}|<%/u,
  /\{[\p{L}_][\p{L}\p{N}_ .:-]{0,40}\}|\{\d{0,2}\}/u,
  /<\/?[A-Za-z][\w.:-]{0,60}\s{0,3}\/?>/u,
  /%(?:\d{1,2}\$)?[sd@](?![A-Za-z])|%\([A-Za-z_]\w{0,40}\)[sdf]|%\.\d[fd](?![A-Za-z])/u,
  new RegExp(String.raw`[\[<〈《【]\s?(?:${FIELD})\s?[\]>〉》】]`, 'u'),
  new RegExp(String.raw`[\[〈《【]\s?(?:(?:[Yy]our|YOUR|[Ii]nsert|INSERT)\s[^\]\n]{1,60}|${NAME})\s?[\]〉》】]`, 'u'),
  new RegExp(String.raw`##?[A-Z][A-Z\d_]{1,40}##?|@@[A-Za-z_]{1,40}@@|__(?:${NAME})__`, 'u'),
  /\[object [A-Z][a-z]{1,20}\]/u,
  /[○〇◯●]{2,}/u,
]);

/** With a word of Latin letters, before which no letter stands. Two are cut, since no source may hold them. */
export const PLACEHOLDER_WORD = anyOf([
  /(?:TO(?:DO)|TBD|TBC|FIX(?:ME)|PLACEHOLDER|placeholder|NaN|undefined|null|[Ll]orem ipsum|LOREM IPSUM)(?![A-Za-z\d_])/u,
  /None(?=[%,.]?(?:$|[^A-Za-z\s]))/u,
  /(?:X{2,}|x{2,}|O{2,})(?=\s?(?:[%％은는이가을를의]|원|포인트|종목|증권|기업|회사|펀드))/u,
]);

/** An instruction to a writer. */
export const PLACEHOLDER_PHRASE = /(?:여기에|이곳에)\s[^.\n]{0,30}입력|내용을\s?입력(?:하세요|하십시오|해\s?주세요)/gu;

/** Letters that UTF-8 makes when it is read as Latin-1 or CP1252. */
const TRAIL = '[\\u0080-\\u00bfŒœŠšŸŽžƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]';

export const GARBLED = anyOf([
  new RegExp(`[\\u00e0-\\u00ef]${TRAIL}{2}`, 'u'),
  /[\u00c2-\u00df][\u0080-\u00bf]/u,
  /(?:[\u00b0-\u00c8][\u00a1-\u00fe]){2}/u,
  /\?{3}/u,
  /\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\[nrt](?![A-Za-z])/u,
  /(?:%[\dA-F]{2}){3}|(?:=[\dA-F]{2}){3}/u,
]);

/** Only where the text begins with it. */
export const ASSISTANT_AT_START = anyOf(
  [
    /^\s{0,20}(?:물론(?:입니다|이죠|이에요)[.,!\s]|알겠습니다|네[,!]\s)/u,
    /^\s{0,20}(?:다음|아래|여기)[은는에]\s[^\n]{0,60}(?:설명|요약|문구|초안|답변|수정본|글)(?:입니다|이에요|예요)/u,
    /^\s{0,20}[^\n.]{0,40}(?:문구|설명문|초안|수정본|요약본)[은는]\s(?:다음|아래)과\s같습니다/u,
    /^\s{0,20}(?:다음|아래)[과와]\s같이\s[^\n.]{0,30}(?:작성|정리|요약)(?:했|하였|해\s?드)/u,
    /^\s{0,20}(?:assistant|user|system|human|ai|답변|초안|수정된?\s?문구|출력|응답)\s?[:：]/u,
    /^\s{0,20}(?:(?:sure|certainly|of course|absolutely|okay|ok)[,!.]\s|here(?:'s|’s| is| are)\s)/u,
  ],
  'giu',
);

export const ASSISTANT_KOREAN = anyOf([
  /죄송(?:하지만|합니다|스럽지만|하게도|한데|해요)/u,
  /(?:AI|인공지능|언어)\s?(?:언어\s?)?모델(?:로서|로써|이라서|이므로|이기\s?때문|이라\s(?:제|저|실시간|투자))/u,
  /(?<!\p{L})(?:저는|제가)\s(?:[^\s.]{1,12}\s){0,3}(?:AI|인공지능|언어\s?모델|챗봇|어시스턴트|가상\s?비서)/u,
  /(?:요청|말씀|질문|문의|부탁)(?:하신|주신|해\s?주신)/u,
  /(?:작성|설명|요약|정리|번역|수정|분석|답변|생성|도와|도움을|알려|소개|제공|안내|제안|말씀)(?:해|하여)?\s?드(?:리겠|릴게|릴까|리도록|렸습|릴\s?수\s?[없있])/u,
  /(?:도움|수정|추가)[^.\n]{0,10}필요하(?:시면|신|십니까)|도움이\s?되(?:셨|시길|었기를)|궁금하신|궁금한\s점이\s있으시|무엇을\s도와/u,
  /(?:답변|조언|추천|작성|설명|확인)[을를]?\s?(?:해\s?)?드리[기지][^\s.]{0,2}\s?(?:어렵|못|곤란)/u,
  /(?:답변|응답|대답|조언)[을를]?\s?(?:할|드릴|제공할)\s?수\s?없/u,
  /(?:실시간|최신|인터넷|외부)[^.\n]{0,20}(?:접근|접속|조회)(?:할|하실)?\s?수\s?(?:없습니다|없어|없으며|없기)/u,
  /(?<!\p{L})(?:제|저의)\s(?:지식[은이]|학습\s?데이터|훈련\s?데이터)|지식\s?(?:컷오프|기준일)/u,
]);

export const ASSISTANT_ENGLISH = anyOf(
  [
    /\bas an? (?:ai|artificial|large language|language model)\b/u,
    /\bi(?:['’]m| am) (?:sorry|unable|not able|afraid|an? ai|just an?|happy to)\b/u,
    /\bi (?:cannot|can not|can['’]t|apologi[sz]e|do not have access|don['’]t have access)\b/u,
    /\bi(?:['’]d| would) be (?:happy|glad)\b|\bi hope this helps\b|\blet me know if\b|\bfeel free to\b/u,
    /\bunfortunately, i\b|\bis there anything else\b|\bknowledge cut-?off\b/u,
    /\bhere(?:['’]s| is) (?:a|the|your) (?:summary|draft|explanation|revised|rewritten)\b/u,
    /<\|[a-z_]{1,30}\|>|\[\/?inst\]|<\/?think>/u,
  ],
  'giu',
);
