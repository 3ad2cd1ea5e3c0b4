/**
 * The program's own texts, Korean and English: menus, tray, notifications, dialogs, status page. The console has its
 * own.
 */
import type { Distrust } from '../security/authority.ts';
import { refusalSentence, type Refusal } from '../../../shared/service/release.ts';
import { koreanRefusal } from './refusal-texts.ts';

/** The items of the context menu. */
export type ContextItem = 'cut' | 'copy' | 'paste' | 'selectAll' | 'copyLink';

export type Language = 'ko' | 'en';

/** The program's present language: the console's, once it has told one (D234). */
export type OwnLanguage = () => Language;

/**
 * The language of the program's own texts, from the system's list, most preferred first: Korean or, for any other
 * language, English. Korean if the system names none, as `C` and `POSIX` do.
 */
export function languageOf(named: readonly string[]): Language {
  const known = named
    .map((locale) => locale.toLowerCase().split(/[-_.@]/)[0] ?? '')
    .find((language) => !['', 'c', 'posix', 'und'].includes(language));
  return known === undefined || known === 'ko' ? 'ko' : 'en';
}

export const MENU = {
  ko: {
    file: '파일',
    print: '인쇄…',
    settings: '이 컴퓨터의 설정…',
    quit: 'Causeway 끝내기',
    edit: '편집',
    undo: '실행 취소',
    redo: '다시 실행',
    cut: '잘라내기',
    copy: '복사',
    paste: '붙여넣기',
    selectAll: '모두 선택',
    review: '심사',
    go: '이동',
    view: '보기',
    reload: '새로 고침',
    resetZoom: '원래 크기',
    zoomIn: '확대',
    zoomOut: '축소',
    fullScreen: '전체 화면',
    help: '도움말',
    manual: '사용 설명서',
    checkForUpdate: '업데이트 확인…',
    diagnostics: '진단 파일 내보내기…',
    logs: '로그 폴더 열기',
    notices: '오픈소스 라이선스 고지',
    about: 'Causeway 정보',
  },
  en: {
    file: 'File',
    print: 'Print…',
    settings: 'Settings of This Computer…',
    quit: 'Quit Causeway',
    edit: 'Edit',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    selectAll: 'Select All',
    review: 'Review',
    go: 'Go',
    view: 'View',
    reload: 'Reload',
    resetZoom: 'Actual Size',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fullScreen: 'Full Screen',
    help: 'Help',
    manual: 'User Guide',
    checkForUpdate: 'Check for Updates…',
    diagnostics: 'Export Diagnostics…',
    logs: 'Open Log Folder',
    notices: 'Third-Party Notices',
    about: 'About Causeway',
  },
} as const satisfies Record<Language, Record<string, string>>;

export const CONTEXT = {
  ko: { cut: '잘라내기', copy: '복사', paste: '붙여넣기', selectAll: '모두 선택', copyLink: '링크 주소 복사' },
  en: { cut: 'Cut', copy: 'Copy', paste: 'Paste', selectAll: 'Select All', copyLink: 'Copy Link Address' },
} as const satisfies Record<Language, Record<ContextItem, string>>;

/** Tray and notifications. */
export const PRESENCE = {
  ko: {
    notShown: '콘솔에 연결되지 않음',
    loggedOut: '로그인하지 않음',
    syncUnknown: '수신 상태 알 수 없음',
    syncOk: '수신 정상',
    syncProblem: (state: string) => `수신 확인 필요 (${state})`,
    waitingUnknown: '심사 대기 건수 알 수 없음',
    waiting: (count: number) => `심사 대기 ${count}건`,
    arrived: (count: number) => `새 심사 대기 설명 (전체 ${count}건)`,
    asked: (count: number) => `다른 심사자의 의견 요청 (전체 ${count}건)`,
    open: '열기',
    silence: '30분간 알리지 않기',
    show: 'Causeway 열기',
    quit: 'Causeway 끝내기',
  },
  en: {
    notShown: 'Not connected to a console',
    loggedOut: 'Not logged in',
    syncUnknown: 'Vendor feed unknown',
    syncOk: 'Vendor feed normal',
    syncProblem: (state: string) => `Vendor feed needs attention (${state})`,
    waitingUnknown: 'Number waiting unknown',
    waiting: (count: number) => `${count} awaiting review`,
    arrived: (count: number) => `New for review (${count} waiting)`,
    asked: (count: number) => `A colleague requests your opinion (${count} in total)`,
    open: 'Open',
    silence: 'Silence for 30 Minutes',
    show: 'Open Causeway',
    quit: 'Quit Causeway',
  },
} as const satisfies Record<
  Language,
  Record<string, string | ((state: string) => string) | ((count: number) => string)>
>;

export const ABOUT = {
  ko: {
    title: 'Causeway 정보',
    build: '빌드',
    release: (channel: string) => `공급사가 서명한 배포본 (${channel})`,
    unsigned: '서명되지 않은 시험용 빌드',
    console: '콘솔 버전',
    address: '콘솔 주소',
    unknown: '연결되지 않음',
    copy: '복사',
    close: '닫기',
  },
  en: {
    title: 'About Causeway',
    build: 'Build',
    release: (channel: string) => `release signed by the vendor (${channel})`,
    unsigned: 'unsigned test build',
    console: 'Console version',
    address: 'Console address',
    unknown: 'not connected',
    copy: 'Copy',
    close: 'Close',
  },
} as const satisfies Record<Language, Record<string, string | ((channel: string) => string)>>;

export const PRINT = {
  ko: { failed: '인쇄하지 못했습니다.', advice: '이 컴퓨터에 프린터가 연결되어 있는지 확인하십시오.' },
  en: { failed: 'The page could not be printed.', advice: 'Check that this computer has a printer.' },
} as const satisfies Record<Language, Record<string, string>>;

export const DIAGNOSTICS = {
  ko: { title: '진단 파일 내보내기', failed: '진단 파일을 저장하지 못했습니다.' },
  en: { title: 'Export Diagnostics', failed: 'The diagnostics could not be saved.' },
} as const satisfies Record<Language, Record<string, string>>;

/** Shown when the user closes the window for the first time and the program stays in the tray. */
export const TRAY_NOTICE = {
  ko: {
    message: 'Causeway는 알림 영역에서 계속 실행됩니다.',
    detail: '새 심사 건을 알리기 위해서입니다. 끝내려면 알림 영역의 아이콘이나 파일 메뉴에서 끝내기를 고르십시오.',
    stay: '계속 실행',
    quit: '끝내기',
  },
  en: {
    message: 'Causeway keeps running in the tray.',
    detail: 'It can then notify you of new items for review. To quit, use the tray icon or the File menu.',
    stay: 'Keep Running',
    quit: 'Quit',
  },
} as const satisfies Record<Language, Record<string, string>>;

/** The dialog after a fault of the program itself. */
export const FAILED = {
  ko: {
    message: 'Causeway에 예기치 않은 문제가 생겼습니다.',
    detail: '다시 시작하십시오. 저장된 작업은 그대로 있습니다. 계속되면 진단 파일을 관리자에게 보내십시오.',
    again: '다시 시작',
    save: '진단 파일 내보내기…',
    quit: '끝내기',
  },
  en: {
    message: 'Causeway ran into an unexpected problem.',
    detail: 'Restart it. Your saved work is kept. If this happens again, send the diagnostics to your administrator.',
    again: 'Restart',
    save: 'Export Diagnostics…',
    quit: 'Quit',
  },
} as const satisfies Record<Language, Record<string, string>>;

export const SET_UP = {
  ko: {
    message: '이 원장에는 아직 계정이 없습니다. 아래 설정 코드로 첫 관리자를 만드십시오.',
    detail: '로그인 화면에서 첫 관리자의 이름과 비밀번호를 정하고 이 코드를 함께 입력합니다.',
    copy: '코드 복사',
    close: '닫기',
  },
  en: {
    message: 'This ledger has no account yet. Create the first administrator with the setup code below.',
    detail: 'Choose a name and a password on the login screen and enter this code with them.',
    copy: 'Copy the code',
    close: 'Close',
  },
} as const satisfies Record<Language, Record<string, string>>;

export const UPDATES = {
  ko: {
    off: '업데이트 확인이 꺼져 있습니다.',
    offDetail: '파일 > 이 컴퓨터의 설정에서 사내 업데이트 서버를 지정하면 켜집니다.',
    newest: '최신 버전을 사용하고 있습니다.',
    notHere: '이 설치본은 자동으로 업데이트되지 않습니다. 관리자가 새 버전을 설치합니다.',
    failed: '업데이트를 받지 않았습니다.',
    ready: (version: string) => `새 버전(${version})을 설치할 준비가 되었습니다.`,
    readyDetail: '설치하면 Causeway가 다시 시작됩니다. 작성 중인 내용을 먼저 저장하십시오.',
    install: '지금 설치',
    later: '나중에',
    close: '닫기',
    refusal: koreanRefusal,
  },
  en: {
    off: 'Update checks are turned off.',
    offDetail: 'To turn them on, enter your firm’s update server in File > Settings of This Computer.',
    newest: 'You have the latest version.',
    notHere: 'This installation does not update itself: your administrator installs new versions.',
    failed: 'The update was not accepted.',
    ready: (version: string) => `Version ${version} is ready to install.`,
    readyDetail: 'Causeway restarts to install it. Save your work first.',
    install: 'Install now',
    later: 'Later',
    close: 'Close',
    refusal: refusalSentence,
  },
} as const satisfies Record<
  Language,
  Record<string, string | ((version: string) => string) | ((refusal: Refusal) => string)>
>;

/** The page in the system's browser after a sign-in. */
export const SIGNED_IN = {
  ko: { title: 'Causeway로 돌아가십시오', words: '로그인은 Causeway 창에서 이어집니다. 이 페이지는 닫아도 됩니다.' },
  en: { title: 'Go back to Causeway', words: 'Your sign-in continues in its window. You can close this page.' },
} as const satisfies Record<Language, Record<string, string>>;

export const CLOSING = {
  ko: {
    question: '저장하지 않은 내용이 있습니다. 그래도 닫으시겠습니까?',
    stay: '계속 작업',
    leave: '저장하지 않고 닫기',
  },
  en: { question: 'There is unsaved work. Close anyway?', stay: 'Keep working', leave: 'Close without saving' },
} as const satisfies Record<Language, Record<string, string>>;

export const STATUS = {
  ko: {
    starting: '콘솔 서비스를 시작하고 있습니다',
    connecting: '콘솔에 연결하고 있습니다',
    unreachable: '콘솔에 연결할 수 없습니다',
    refused: '콘솔이 응답했지만 화면을 열 수 없습니다',
    untrusted: '콘솔 서버의 인증서를 신뢰할 수 없습니다',
    'other-version': '이 프로그램과 콘솔의 버전이 맞지 않습니다',
    crashed: '화면이 예기치 않게 종료되었습니다',
    'service-ended': '콘솔 서비스가 종료되었습니다',
    'ledger-too-new': '원장이 더 최신 버전에서 작성되었습니다',
    'ledger-locked': '다른 프로그램이 원장을 사용하고 있습니다',
    'ledger-damaged': '원장이 손상되었습니다',
    'ledger-unreachable': '원장을 열 수 없습니다',
    altered: '프로그램의 파일이 설치된 것과 다릅니다',
    ledgerTooNewAdvice:
      '이 원장을 작성한 버전 또는 그보다 최신 버전의 Causeway를 설치하십시오. 원장은 변경되지 않았습니다.',
    ledgerLockedAdvice:
      '원장을 사용하는 프로그램(다른 Causeway, 백업, 백신)을 종료하십시오. 종료하면 자동으로 계속됩니다.',
    ledgerDamagedAdvice: '아무것도 바꾸지 말고 관리자에게 알려 주십시오. 백업에서 복원해야 합니다.',
    ledgerUnreachableAdvice:
      '파일의 위치와 권한, 남은 디스크 공간을 확인하십시오. 열 수 있게 되면 자동으로 계속됩니다.',
    alteredAdvice:
      '아무것도 시작하지 않았습니다. 관리자에게 알리고, Causeway를 제거한 다음 다시 설치하십시오. 원장과 설정은 그대로 남습니다.',
    startingAdvice: '잠시만 기다리십시오.',
    unreachableAdvice: '네트워크와 콘솔 서버가 켜져 있는지 확인하십시오. 연결되면 이 화면이 자동으로 바뀝니다.',
    refusedAdvice: '이 주소가 Causeway 콘솔의 주소인지 관리자에게 확인하십시오. 자동으로 다시 시도합니다.',
    untrustedAdvice:
      '아무것도 보내지 않았습니다. 관리자에게 알려 주십시오. 인증 기관이 바뀌었다면 파일 > 이 컴퓨터의 설정에서 새 인증 기관을 지정합니다.',
    distrust: {
      'other-authority': '지정된 인증 기관이 발급한 인증서가 아닙니다.',
      'other-name': '인증서의 이름이 이 주소와 다릅니다.',
      'out-of-date': '인증서의 유효 기간이 아닙니다. 이 컴퓨터의 시계도 확인하십시오.',
      'no-server': '서버용 인증서가 아닙니다.',
    },
    programOlderAdvice:
      '이 프로그램이 콘솔보다 오래된 버전입니다. 아래 두 번째 버전의 Causeway를 이 컴퓨터에 설치하십시오. 임시 저장된 내용은 콘솔에 남아 있습니다.',
    consoleOlderAdvice:
      '콘솔이 이 프로그램보다 오래된 버전입니다. 콘솔 서버를 업데이트하도록 관리자에게 알려 주십시오. 맞는 버전이 되면 자동으로 열립니다. 작성 중이던 내용은 이 창에 그대로 있습니다.',
    crashedAdvice: '자동으로 다시 엽니다. 저장된 작업은 그대로 있습니다.',
    serviceEndedAdvice: '자동으로 다시 시작합니다. 계속되면 아래 내용을 관리자에게 알려 주십시오.',
    address: '주소',
    reason: '사유',
    answered: '마지막 정상 응답',
    answeredAgo: (age: string) => `${age} 전`,
    neverAnswered: '프로그램 시작 후 없음',
    queue: '심사 대기 목록',
    queueThen: (count: number) => `심사 대기 ${count}건`,
    queueOldest: (count: number, age: string) => `심사 대기 ${count}건, 최장 대기 ${age}`,
    queueUnknown: '알 수 없음',
    age: (days: number, hours: number, minutes: number) =>
      days > 0
        ? `${days}일${hours > 0 ? ` ${hours}시간` : ''}`
        : hours > 0
          ? `${hours}시간${minutes > 0 ? ` ${minutes}분` : ''}`
          : minutes > 0
            ? `${minutes}분`
            : '1분 미만',
    nextTry: (seconds: number) => `${seconds}초 후 자동으로 다시 시도합니다`,
    trying: '다시 시도하고 있습니다',
    retry: '지금 다시 시도',
  },
  en: {
    starting: 'Starting the console service',
    connecting: 'Connecting to the console',
    unreachable: 'The console cannot be reached',
    refused: 'The console answers, but its screen cannot be opened',
    untrusted: 'The certificate of the console server cannot be trusted',
    'other-version': 'The versions of this program and of the console do not match',
    crashed: 'The screen ended unexpectedly',
    'service-ended': 'The console service has ended',
    'ledger-too-new': 'The ledger was written by a newer version',
    'ledger-locked': 'Another program is using the ledger',
    'ledger-damaged': 'The ledger is damaged',
    'ledger-unreachable': 'The ledger cannot be opened',
    altered: 'Files of the program are not the ones that were installed',
    ledgerTooNewAdvice:
      'Install the version of Causeway that wrote this ledger, or a newer one. The ledger was not changed.',
    ledgerLockedAdvice:
      'Close the program that uses it (another Causeway, a backup, a virus scanner). Causeway then continues automatically.',
    ledgerDamagedAdvice: 'Change nothing and tell your administrator: it must be restored from a backup.',
    ledgerUnreachableAdvice:
      'Check the file’s location, its permissions and the free space. Causeway continues automatically once it can open the file.',
    alteredAdvice:
      'Nothing was started. Tell your administrator, then uninstall Causeway and install it again. Ledger and settings are kept.',
    startingAdvice: 'Please wait.',
    unreachableAdvice:
      'Check the network and that the console server is running. The console opens automatically once the server responds.',
    refusedAdvice:
      'Ask your administrator whether this is the address of a Causeway console. Causeway retries automatically.',
    untrustedAdvice:
      'Nothing was sent to the server. Tell your administrator. If the authority has changed, choose the new one in File > Settings of This Computer.',
    distrust: {
      'other-authority': 'The certificate was not issued by the authority that is pinned here.',
      'other-name': 'The certificate is for another name than this address.',
      'out-of-date': 'The certificate is not valid now. Also check the clock of this computer.',
      'no-server': 'The certificate is not a server certificate.',
    },
    programOlderAdvice:
      'This program is older than the console. Install the second version of Causeway shown below on this computer. Saved drafts are kept in the console.',
    consoleOlderAdvice:
      'The console is older than this program. Ask your administrator to update the console server; the console then opens automatically. Your unsaved text is still in this window.',
    crashedAdvice: 'It reopens automatically. Your saved work is kept.',
    serviceEndedAdvice: 'It restarts automatically. If this continues, send the details below to your administrator.',
    address: 'Address',
    reason: 'Reason',
    answered: 'Last successful response',
    answeredAgo: (age: string) => `${age} ago`,
    neverAnswered: 'none since this program started',
    queue: 'Review queue',
    queueThen: (count: number) => `${count} awaiting review`,
    queueOldest: (count: number, age: string) => `${count} awaiting review, the oldest for ${age}`,
    queueUnknown: 'unknown',
    age: (days: number, hours: number, minutes: number) =>
      days > 0
        ? `${days} d${hours > 0 ? ` ${hours} h` : ''}`
        : hours > 0
          ? `${hours} h${minutes > 0 ? ` ${minutes} min` : ''}`
          : minutes > 0
            ? `${minutes} min`
            : 'less than a minute',
    nextTry: (seconds: number) => `Next try in ${seconds} s`,
    trying: 'Retrying',
    retry: 'Try again now',
  },
} as const satisfies Record<
  Language,
  Record<
    string,
    | string
    | ((seconds: number) => string)
    | ((age: string) => string)
    | ((count: number, age: string) => string)
    | ((days: number, hours: number, minutes: number) => string)
    | Record<Distrust, string>
  >
>;
