/**
 * Words behind a claim by which its clause speaks of it and does not make it: that it cannot be, is not allowed, is not true, or is
 * open. By their letters, because the analyser misreads many (`멉니다`, `안됩니다`): to take one for a reserve only means that a person
 * reads the text.
 */
const RESERVE = new RegExp(
  [
    '불가|불능|어렵|어려|힘들|희박|만무|무관|제외|무효|의문|여부|거리가\\s*[멀먼멉]',
    '금지|금물|불법|위법|위반|부당|부적절|삼가|주의|유의|경고|적발|단속|처벌',
    '지\\s*[마말]|오해|오인|착각|사기|거짓|허위|과장|환상|미끼|현혹|속지|달리|다르|다릅|다른',
    // 아니합니다, 안됩니다, 미제공, (X).
    '아니|안\\s?[되됩된돼됨]|(?<![가-힣])[미불비](?=[가-힣]{2})|(?<![A-Za-z])[Xx×✕✖❌](?![A-Za-z])',
  ].join('|'),
);

export const reserveIn = (text: string): string | null => RESERVE.exec(text)?.[0] ?? null;
