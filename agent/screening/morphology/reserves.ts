/**
 * Words behind a claim by which its clause speaks of it and does not make it: that it cannot be, is not allowed, is not true, or is
 * open. By their letters, because the analyser misreads many (`멉니다`, `안됩니다`): to take one for a reserve only means that a person
 * reads the text.
 */
const RESERVE = new RegExp(
  [
    '불가|불능|어렵|어려|힘들|희박|만무|무관|제외|무효|의문|의심|여부|여하|거리가\\s*[멀먼멉]|커녕',
    '금지|금물|(?<![가-힣])금[하한합해]|불법|위법|위반|부당|부적절|삼가|주의|유의|경고|단속|처벌',
    '지\\s*[마말]|오해|오인|착각|사기|거짓|허위|과장|환상|미끼|현혹|(?<![가-힣])속[지아은았]|달리|다르|다릅|다른',
    // What is no more.
    '삭제|철회|폐지|중단|취소|(?<![가-힣])해지|종료|소멸|사라[지졌진]|무너[지졌진]|깨[지졌진]|파산|믿었',
    // 아니합니다, 아녜요, 안됩니다, 미제공, (X), NO.
    '아니|아닌|아녜|아녔|안\\s?[되됩된돼됨]|(?<![가-힣])[미불비](?=[가-힣]{2})|(?<![A-Za-z])(?:[Xx×✕✖❌]|[Nn][Oo][Tt]?)(?![A-Za-z])',
  ].join('|'),
);

/** What the law makes of a claim: a report of it, wherever it stands behind the claim in the sentence. */
const BEFORE_THE_LAW =
  /적발|제재|징계|과태료|과징금|벌금|고발|고소|기소|구속|검거|체포|입건|송치|붙잡|혐의|수사|조사|재판|소송/;

/**
 * @param clause what follows a claim in its clause
 * @param sentence what follows it in its sentence
 */
export const reserveIn = (clause: string, sentence: string): string | null =>
  (RESERVE.exec(clause) ?? BEFORE_THE_LAW.exec(sentence))?.[0] ?? null;
