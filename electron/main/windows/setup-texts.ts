/** The words of the setup page, Korean and English. */
import type { ServiceStatus } from '../services/local-service.ts';
import type { SettingsProblem } from '../settings/settings.ts';
import type { Language } from '../texts/texts.ts';

interface SetupTexts {
  title: string;
  first: string;
  fixed: string;
  inUse: string;
  inUseLocal: string;
  inUseConnected: string;
  console: string;
  local: string;
  localHint: string;
  connected: string;
  connectedHint: string;
  address: string;
  addressHint: string;
  authority: string;
  authorityHint: string;
  fromFile: string;
  intake: string;
  intakeHint: string;
  upstream: string;
  certificate: string;
  key: string;
  upstreamAuthority: string;
  verifyKey: string;
  verifyKeyHint: string;
  tenant: string;
  tenantHint: string;
  provision: string;
  provisionHint: string;
  listen: string;
  updates: string;
  updatesOn: string;
  updatesHint: string;
  feed: string;
  feedAuthority: string;
  screen: string;
  contentProtection: string;
  contentProtectionHint: string;
  closing: string;
  keepRunning: string;
  keepRunningHint: string;
  lock: string;
  lockMinutes: string;
  lockHint: string;
  save: string;
  leave: string;
  notWritten: string;
  services: string;
  service: Record<ServiceStatus['name'], string>;
  standing: Record<ServiceStatus['state'], string>;
  problems: Record<SettingsProblem, string>;
  otherLanguage: string;
}

export const SETUP = {
  ko: {
    title: '이 컴퓨터의 설정',
    first: 'Causeway를 이 컴퓨터에서 어떻게 사용할지 정하십시오. 나중에 파일 > 이 컴퓨터의 설정에서 바꿀 수 있습니다.',
    fixed: '어느 콘솔을 열지는 관리자가 정해 두었습니다. 여기에서는 바꿀 수 없습니다.',
    inUse: '사용 중인 콘솔:',
    inUseLocal: '이 컴퓨터',
    inUseConnected: '회사의 콘솔 서버',
    console: '콘솔',
    local: '이 컴퓨터에서 모두 실행',
    localHint: '심사자가 한 명일 때 알맞습니다. 원장과 콘솔 서비스가 이 컴퓨터에 있습니다.',
    connected: '회사의 콘솔 서버에 연결',
    connectedHint: '여러 명이 함께 심사할 때 알맞습니다. 원장은 서버에 있고 이 컴퓨터에는 저장되지 않습니다.',
    address: '서버 주소',
    addressHint: '예: https://console.firm.example:4300',
    authority: '서버 인증서를 발급한 인증 기관 (PEM)',
    authorityHint: '관리자에게 받은 인증 기관의 인증서입니다. 이 기관이 발급한 인증서만 받아들입니다.',
    fromFile: '파일에서 가져오기',
    intake: '수신 서비스(Intake)도 이 컴퓨터에서 실행',
    intakeHint: '같은 원장으로 이미 실행 중인 수신 서비스가 있으면 시작하지 않습니다.',
    upstream: '중계기 주소',
    certificate: '클라이언트 인증서 파일의 경로',
    key: '개인 키 파일의 경로',
    upstreamAuthority: '중계기 인증서를 발급한 인증 기관 파일의 경로 (비우면 시스템의 것)',
    verifyKey: '공급사 서명 검증 키 파일의 경로 (signing.pub)',
    verifyKeyHint: '지정하면 공급사의 서명이 확인된 전문만 수신합니다.',
    tenant: '테넌트 번호',
    tenantHint: '공급사가 전화로 알려 주는 번호입니다. 다른 테넌트의 전문은 처음부터 수신하지 않습니다.',
    provision: '제공 API도 이 컴퓨터에서 실행',
    provisionHint: '이 주소에서 이미 응답하는 제공 API가 있으면 시작하지 않습니다.',
    listen: '제공 API의 주소 (호스트:포트)',
    updates: '업데이트',
    updatesOn: '사내 업데이트 서버에서 새 버전 확인',
    updatesHint: '꺼 두면 새 버전을 찾지 않습니다.',
    feed: '업데이트 서버 주소',
    feedAuthority: '업데이트 서버 인증서를 발급한 인증 기관 (PEM)',
    screen: '화면',
    contentProtection: '화면 캡처와 화면 공유에서 이 창을 가리기',
    contentProtectionHint: 'Windows에서 동작합니다. Linux에는 이 기능이 없습니다.',
    closing: '창을 닫을 때',
    keepRunning: '알림 영역에서 계속 실행',
    keepRunningHint: '새 심사 건을 알립니다. 꺼 두면 창을 닫을 때 프로그램도 끝납니다.',
    lock: '자리 비움',
    lockMinutes: '컴퓨터를 사용하지 않으면 로그아웃할 때까지의 시간 (분, 0~30)',
    lockHint:
      '작성 중인 내용은 남고, 다시 로그인하면 이어서 작업할 수 있습니다. 0으로 두면 콘솔의 제한 시간(30분)만 적용됩니다.',
    save: '저장하고 시작',
    leave: '취소',
    notWritten: '설정을 저장하지 못했습니다.',
    services: '이 컴퓨터의 서비스',
    service: { console: '콘솔', intake: '수신', provision: '제공 API' },
    standing: {
      starting: '시작하는 중',
      running: '실행 중',
      elsewhere: '이미 서비스로 실행 중 (여기에서 시작하지 않음)',
      ended: '종료됨, 자동으로 다시 시작',
    },
    problems: {
      address: 'https://로 시작하는 서버 주소를 경로 없이 입력하십시오. 이 컴퓨터의 주소는 http://도 됩니다.',
      authority:
        '인증 기관의 인증서를 PEM 형식으로 넣으십시오. 서버 자신의 인증서가 아니라 그것을 발급한 기관의 것입니다. http:// 주소이면 비워 둡니다.',
      upstream: 'https://로 시작하는 중계기 주소를 경로 없이 입력하십시오. 이 컴퓨터의 주소는 http://도 됩니다.',
      'intake-files': '클라이언트 인증서와 개인 키는 둘 다 지정하거나 둘 다 비워 두십시오.',
      tenant: '공급사가 알려 준 테넌트 번호를 1 이상의 정수로 입력하십시오.',
      provision: '호스트:포트 형식으로 입력하십시오. 예: 127.0.0.1:4310',
      feed: 'https://로 시작하는 업데이트 서버 주소를 입력하십시오.',
      'feed-authority': '업데이트 서버 인증서를 발급한 인증 기관의 인증서를 PEM 형식으로 넣으십시오.',
    },
    otherLanguage: 'English',
  },
  en: {
    title: 'Settings of this computer',
    first: 'Choose how Causeway is used on this computer. It can be changed later in File > Settings of This Computer.',
    fixed: 'Which console is opened was set by your administrator. It cannot be changed here.',
    inUse: 'Console in use:',
    inUseLocal: 'this computer',
    inUseConnected: "the firm's console server",
    console: 'Console',
    local: 'Run everything on this computer',
    localHint: 'For a single reviewer. Ledger and console service are on this computer.',
    connected: "Connect to the firm's console server",
    connectedHint: 'For several reviewers. The ledger is on the server; nothing of it is kept on this computer.',
    address: 'Address of the server',
    addressHint: 'For example https://console.firm.example:4300',
    authority: "Authority that issued the server's certificate (PEM)",
    authorityHint:
      "The authority's certificate, from your administrator. Only certificates that it has issued are accepted.",
    fromFile: 'Take it from a file',
    intake: 'Run the Intake on this computer too',
    intakeHint: 'It is not started where one runs on the same ledger already.',
    upstream: 'Address of the relay',
    certificate: 'Path of the client certificate',
    key: 'Path of its private key',
    upstreamAuthority: "Path of the authority that issued the relay's certificate (empty: the system's)",
    verifyKey: "Path of the vendor's signature verification key (signing.pub)",
    verifyKeyHint: "With it, nothing is taken without the vendor's verified signature.",
    tenant: 'Tenant number',
    tenantHint: 'The vendor names it by telephone. Nothing of another tenant is taken, from the first bundle on.',
    provision: 'Run the provision API on this computer too',
    provisionHint: 'It is not started where one answers at this address already.',
    listen: 'Address of the provision API (host:port)',
    updates: 'Updates',
    updatesOn: "Look for new versions on the firm's update server",
    updatesHint: 'While this is off, nothing is looked for.',
    feed: 'Address of the update server',
    feedAuthority: "Authority that issued the update server's certificate (PEM)",
    screen: 'Screen',
    contentProtection: 'Leave this window out of screenshots and shared screens',
    contentProtectionHint: 'Works on Windows. Linux has no such thing.',
    closing: 'When the window is closed',
    keepRunning: 'Keep running in the tray',
    keepRunningHint: 'It tells of new items for review. While this is off, the program ends with its window.',
    lock: 'Absence',
    lockMinutes: 'Minutes without use of the computer before you are logged out (0 to 30)',
    lockHint: "Unsent work is kept for your next login. With 0, only the console's own limit of 30 minutes applies.",
    save: 'Save and start',
    leave: 'Cancel',
    notWritten: 'The settings could not be saved.',
    services: 'Services on this computer',
    service: { console: 'Console', intake: 'Intake', provision: 'Provision API' },
    standing: {
      starting: 'starting',
      running: 'running',
      elsewhere: 'runs already as a service (not started here)',
      ended: 'ended, is started again by itself',
    },
    problems: {
      address:
        'Give the address of the server, beginning with https://, without a path. An address of this computer may begin with http://.',
      authority:
        "Give the authority's certificate in PEM form: not the server's own but the one that issued it. Leave it empty for an http:// address.",
      upstream:
        'Give the address of the relay, beginning with https://, without a path. An address of this computer may begin with http://.',
      'intake-files': 'Give both the client certificate and its private key, or neither.',
      tenant: 'Give the tenant number that the vendor named, a whole number from 1.',
      provision: 'Give it as host:port, for example 127.0.0.1:4310.',
      feed: 'Give the address of the update server, beginning with https://.',
      'feed-authority': "Give the certificate of the authority that issued the update server's, in PEM form.",
    },
    otherLanguage: '한국어',
  },
} as const satisfies Record<Language, SetupTexts>;
