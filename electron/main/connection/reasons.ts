/** Network error codes in words, in both languages; the code itself is shown beside them. */
import type { Language } from '../texts/texts.ts';

const WORDS: readonly (readonly [code: RegExp, words: Record<Language, string>])[] = [
  [
    /^ERR_CONNECTION_REFUSED$/,
    { ko: '이 주소에서 응답하는 서버가 없습니다.', en: 'No server answers at this address.' },
  ],
  [
    /^ERR_(?:NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|DNS_\w+)$/,
    { ko: '서버 이름을 찾을 수 없습니다.', en: 'The name of the server is not known.' },
  ],
  [
    /^ERR_(?:CONNECTION_)?TIMED_OUT$/,
    { ko: '제한 시간 안에 응답하지 않았습니다.', en: 'No answer within the time allowed.' },
  ],
  [
    /^ERR_(?:INTERNET_DISCONNECTED|NETWORK_CHANGED|NETWORK_IO_SUSPENDED)$/,
    { ko: '이 컴퓨터가 네트워크에 연결되어 있지 않습니다.', en: 'This computer is not connected to a network.' },
  ],
  [
    /^ERR_(?:ADDRESS_UNREACHABLE|ADDRESS_INVALID|NETWORK_ACCESS_DENIED)$/,
    { ko: '이 컴퓨터에서 서버까지 가는 경로가 없습니다.', en: 'There is no way from this computer to the server.' },
  ],
  [
    /^ERR_(?:CONNECTION_(?:RESET|CLOSED|ABORTED|FAILED)|EMPTY_RESPONSE|INCOMPLETE_\w+|SOCKET_NOT_CONNECTED)$/,
    { ko: '연결이 도중에 끊겼습니다.', en: 'The connection was cut.' },
  ],
  [
    /^ERR_(?:PROXY_\w+|TUNNEL_\w+|UNEXPECTED_PROXY_AUTH|MANDATORY_PROXY_\w+)$/,
    { ko: '프록시 서버를 거쳐 연결할 수 없습니다.', en: 'The connection through the proxy failed.' },
  ],
  [/^ERR_(?:SSL|TLS|CERT)_\w+$/, { ko: '보안 연결(TLS)에 실패했습니다.', en: 'The secure connection (TLS) failed.' }],
  [/^ERR_UNSAFE_REDIRECT$|redirect/i, { ko: '다른 주소로 보냅니다.', en: 'It leads to another address.' }],
  [/^HTTP 5\d\d$/, { ko: '서버에 오류가 있습니다.', en: 'The server has a fault.' }],
  [/^HTTP 4\d\d$/, { ko: '이 주소에 콘솔 화면이 없습니다.', en: 'There is no console at this address.' }],
];

/** Null: a code without a translation, which is shown as it is. */
export function reasonWords(reason: string): Record<Language, string> | null {
  const code = reason.replace(/^net::/, '');
  return WORDS.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}
