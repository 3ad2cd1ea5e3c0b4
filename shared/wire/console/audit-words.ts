/** The audit log in words for screen and files, Korean then English; an action without a phrase is shown as recorded. */
import type { SheetColumn } from '../workbook.ts';
import { kstDateTime } from '../../time/kst.ts';
import type { AuditAction } from './audit.ts';
import type { ReasonCode } from './constants.ts';
import { readReasonDigits } from './reason-digits.ts';

export const AUDIT_LANGUAGES = ['ko', 'en'] as const;
export type AuditLanguage = (typeof AUDIT_LANGUAGES)[number];
type Words = readonly [ko: string, en: string];

/** Start and end of a claim: many rows, few of which matter to an inspector. */
export const CLAIM_ACTIONS = ['review.claim', 'review.claim-released'] as const;

export const ACTION_WORDS: Readonly<Record<string, Words>> = {
  'explanation.receive': ['설명 수신', 'Explanation received'],
  'explanation.approve': ['승인', 'Approved'],
  'explanation.approve-edited': ['수정 승인', 'Approved with edit'],
  'explanation.reject': ['반려', 'Rejected'],
  'explanation.block': ['차단', 'Blocked'],
  'explanation.move-to-review': ['재심사 전환', 'Sent back to review'],
  'explanation.unblock': ['자동 차단 해제', 'Automatic block lifted'],
  'explanation.stop': ['제공 중지', 'Provision stopped'],
  'explanation.correct': ['최종 문구 정정', 'Published text corrected'],
  'explanation.text-changed': ['공급사 문구 변경', 'Text changed by vendor'],
  'explanation.invalidate': ['공급사 철회', 'Withdrawn by vendor'],
  'review.claim': ['심사 착수', 'Review claimed'],
  'review.claim-released': ['심사 착수 해제', 'Review claim released'],
  'review.postpone': ['나중에 심사', 'Review postponed'],
  'review.resume': ['나중에 심사 해제', 'Postponement ended'],
  'review.handed-over': ['심사 넘김', 'Handed over'],
  'review.taken': ['넘긴 심사 가져오기', 'Handed-over item taken'],
  'review.draft': ['수정안 저장', 'Draft saved'],
  'review.draft-taken-over': ['동료 수정안 이어서 작성', 'Colleague’s draft continued'],
  'review.edit-waits': ['수정안 1차 승인', 'Edit approved, second approval awaited'],
  'review.edit-voided': ['수정안 1차 승인 무효', 'First approval of edit voided'],
  'review.target': ['심사 목표 시간 변경', 'Review time target changed'],
  'review.approval-numbers': ['심사필 번호 설정 변경', 'Approval numbers changed'],
  'review.approval-numbers-closed': ['복원으로 심사필 번호 발급 중단', 'Approval numbers closed by a restore'],
  'review.note': ['내부 메모 작성', 'Internal note added'],
  'review.dismiss-hit': ['오탐 처리', 'Hit dismissed as false'],
  'review.opinion-asked': ['의견 요청', 'Second opinion requested'],
  'review.opinion-given': ['의견 제출', 'Second opinion given'],
  'review.opinion-withdrawn': ['의견 요청 취소', 'Second opinion request withdrawn'],
  'review.looked': ['블라인드 재심사 전 결정 열람', 'Decision viewed before blind review'],
  'review.blind-agreed': ['블라인드 재심사 의견 일치', 'Blind review agreed'],
  'review.blind-differed': ['블라인드 재심사 의견 불일치', 'Blind review differed'],
  'review.same-registrar': [
    '유의: 1·2차 승인 계정을 동일인이 하루 이내에 등록',
    'Note: both approving accounts were registered by one person within a day',
  ],
  'policy.same-registrar': [
    '유의: 제안·시행 계정을 동일인이 하루 이내에 등록',
    'Note: proposing and publishing accounts were registered by one person within a day',
  ],
  'sample.fine': ['표본 점검: 이상 없음', 'Sample checked: in order'],
  'sample.missed': ['표본 점검: 사전심사 필요 건', 'Sample checked: needed pre-review'],
  'policy.publish': ['정책 게시', 'Policy version published'],
  'policy.start': ['정책 시행', 'Policy version took effect'],
  'policy.cancel': ['정책 시행 예정 취소', 'Planned policy version cancelled'],
  'policy.propose': ['정책 변경 제안', 'Policy change proposed'],
  'policy.withdraw': ['정책 변경 제안 철회', 'Policy proposal withdrawn'],
  'scope.toggle': ['제공 범위 변경', 'Serving scope changed'],
  'scope.confirm': ['제공 범위 제외 확인', 'Exclusion confirmed as intended'],
  'scope.sector': ['종목 업종 변경', 'Sector of instrument changed'],
  'member.register': ['사용자 등록', 'User registered'],
  'member.deactivate': ['사용자 비활성화', 'User deactivated'],
  'member.role': ['역할 변경', 'Role changed'],
  'member.link': ['통합 로그인 계정 연결', 'Linked to single sign-on'],
  'member.password': ['비밀번호 변경', 'Password changed'],
  'member.password-reset': ['비밀번호 초기화', 'Password reset'],
  'member.second-factor': ['2단계 인증 등록', 'Second factor set up'],
  'member.second-factor-begun': ['2단계 인증 등록 시작', 'Second factor set-up begun'],
  'member.second-factor-asked': ['2단계 인증 설정 변경', 'Second factor setting changed'],
  'member.second-factor-refused': ['2단계 인증 등록 실패', 'Second factor set-up refused'],
  'member.second-factor-reset': ['2단계 인증 초기화', 'Second factor reset'],
  'member.password-refused': ['비밀번호 변경 실패', 'Password change refused'],
  'profile.rename': ['표시 이름 변경', 'Display name changed'],
  'profile.view-saved': ['보기 저장', 'View saved'],
  'profile.view-removed': ['저장한 보기 삭제', 'Saved view removed'],
  'auth.login': ['로그인', 'Logged in'],
  'auth.second-factor-asked': ['2단계 인증 요청', 'Second factor asked for'],
  'auth.login-refused': ['로그인 실패', 'Login refused'],
  'auth.logout': ['로그아웃', 'Logged out'],
  'access.refused': ['권한 없는 요청 거부', 'Request refused: not permitted'],
  'dossier.make': ['증빙 파일 작성', 'Dossier made'],
  'inspection.ask': ['검사 자료 요청', 'Inspection file requested'],
  'inspection.make': ['검사 자료 작성', 'Inspection file made'],
  'inspection.continue': ['검사 자료 작성 재개', 'Inspection file continued'],
  'inspection.cancel': ['검사 자료 요청 취소', 'Inspection request cancelled'],
  'inspection.delete': ['검사 자료 삭제', 'Inspection file deleted'],
  'inspection.download': ['검사 자료 내려받기', 'Inspection file downloaded'],
  'sync.certificate-replaced': ['인증서 교체', 'Certificate replaced'],
  'sync.certificate-replaced.asked': ['인증서 교체 요청', 'Certificate replacement requested'],
  'sync.certificate-replaced.refused': ['인증서 교체 실패', 'Certificate replacement failed'],
  'sync.certificate-returned': ['이전 인증서로 복원', 'Previous certificate restored'],
  'sync.certificate-returned.asked': ['이전 인증서 복원 요청', 'Return to previous certificate requested'],
  'sync.certificate-returned.refused': ['이전 인증서 복원 실패', 'Return to previous certificate failed'],
  'sync.certificate-requested': ['인증서 발급 요청서 생성', 'Certificate request made'],
  'sync.certificate-requested.asked': ['인증서 발급 요청서 생성 요청', 'Certificate request asked for'],
  'sync.certificate-requested.refused': ['인증서 발급 요청서 생성 실패', 'Certificate request failed'],
  'sync.reconnected': ['재연결', 'Reconnected'],
  'sync.reconnected.asked': ['재연결 요청', 'Reconnection requested'],
  'sync.reconnected.refused': ['재연결 실패', 'Reconnection failed'],
  'audit.begin': ['현재 상태를 기록에 다시 남김', 'Present state put on record'],
  'journal.key-copied': ['저널 키 사본 보관 확인', 'Copy of the journal key confirmed'],
  'channel.add': ['채널 추가', 'Channel added'],
  'channel.key': ['채널 키 교체', 'Channel key replaced'],
  'channel.remove': ['채널 삭제', 'Channel removed'],
  'demo.seed': ['데모 데이터 생성', 'Demo data created'],
  'demo.end': ['데모 종료', 'Demo ended'],
  'ledger.rebuild': ['원장 재구성', 'Ledger rebuilt'],
  'ledger.restore': ['백업 복원', 'Restored from backup'],
  'ledger.repair': ['원장 복구', 'Ledger repaired'],
  'ledger.replay': ['거부 항목 재적용', 'Rejected entries replayed'],
  'ledger.set-aside': ['수신 전문 제외', 'Bundles truncated'],
  'quarantine.acknowledge': ['격리 확인', 'Quarantine acknowledged'],
};

const TARGET_WORDS: Readonly<Record<string, Words>> = {
  explanation: ['설명', 'Explanation'],
  policy_version: ['정책 버전', 'Policy version'],
  policy_proposal: ['정책 제안', 'Policy proposal'],
  serving_scope: ['제공 범위', 'Serving scope'],
  instrument: ['종목', 'Instrument'],
  channel: ['채널', 'Channel'],
  member: ['사용자', 'User'],
  route: ['기능', 'Function'],
  sync: ['수신', 'Cloud Sync'],
  ledger: ['원장', 'Ledger'],
  audit_log: ['감사 기록', 'Audit log'],
};

const FIELD_WORDS: Readonly<Record<string, Words>> = {
  as: ['파일 형식', 'file type'],
  secondFactor: ['2단계 인증 수단', 'second factor'],
  recoveryCodes: ['복구 코드 수', 'recovery codes'],
  recoveryCodesLeft: ['남은 복구 코드', 'recovery codes left'],
  spanFrom: ['기간', 'span'],
  query: ['조건', 'asked for'],
  form: ['파일 형식', 'file type'],
  total: ['건수', 'found'],
  explanations: ['설명 수', 'explanations'],
  pdf: ['PDF 포함', 'with PDF'],
  from: ['변경 전', 'before'],
  to: ['변경 후', 'after'],
  reason: ['사유', 'reason'],
  ended: ['해제 사유', 'released by'],
  endedAt: ['만료 시각', 'ran out at'],
  policyVersion: ['정책 버전', 'policy version'],
  published_summary: ['제공 문구', 'published text'],
  edited_summary: ['수정 문구', 'edited text'],
  wordsLetStand: ['확인한 금지어', 'words acknowledged'],
  figuresLetStand: ['확인한 근거 없는 수치', 'figures acknowledged without evidence'],
  heldUntil: ['제공 보류 기한', 'held until'],
  approvalNumber: ['심사필 번호', 'approval number'],
  validUntil: ['심사필 유효기간 종료', 'approval valid until'],
  pattern: ['심사필 번호 형식', 'pattern of approval numbers'],
  validDays: ['유효기간(일)', 'valid (days)'],
  next: ['다음 일련번호', 'next running number'],
  duringHold: ['제공 전 취소', 'undone before provision'],
  served: ['제공 횟수', 'served'],
  withoutOpinion: ['의견 없이 결정', 'decided without the opinion'],
  editedBy: ['수정자', 'edited by'],
  authors: ['작성자', 'written by'],
  firstPerson: ['먼저 처리한 사람', 'first person'],
  registeredBy: ['계정 등록자', 'accounts registered by'],
  firstApprovedBy: ['1차 승인자', 'first approved by'],
  handedBy: ['넘긴 사람', 'handed over by'],
  handedTo: ['넘겨받은 사람', 'handed over to'],
  takenFrom: ['당초 작성자', 'continued from'],
  characters: ['글자 수', 'characters'],
  text: ['내용', 'text'],
  question: ['요청 내용', 'question'],
  opinion: ['의견', 'opinion'],
  answer: ['의견 내용', 'answer'],
  decision: ['당초 결정', 'decision'],
  outcome: ['권고 의견', 'own judgement'],
  blind: ['결정 미열람', 'decision unseen'],
  changes: ['변경 내역', 'changes'],
  word: ['금지어', 'word'],
  found: ['검출 위치', 'found in'],
  severity: ['심각도', 'severity'],
  criterion: ['항목', 'criterion'],
  exceptions: ['예외 표현', 'exceptions'],
  apart: ['사이에 허용할 단어 수', 'words between its parts'],
  becomes: ['예외 처리', 'treated as'],
  terms: ['인정 표현', 'accepted expressions'],
  onlyWith: ['적용 조건', 'applies to'],
  active: ['사용', 'in use'],
  words: ['금지어 수', 'words'],
  baseVersion: ['기준 정책 버전', 'based on version'],
  startsAt: ['시행 예정', 'takes effect'],
  appliedCursor: ['반영 위치', 'applied up to'],
  replacements: ['대체 문구', 'replacements'],
  review: ['재심사 번호', 'review number'],
  dropped: ['보관하지 못한 전문', 'bundles not kept'],
  channel: ['채널', 'channel'],
  times: ['횟수', 'times'],
  firstAt: ['최초', 'first'],
  lastAt: ['최근', 'last'],
  version: ['버전', 'version'],
  proposedBy: ['제안자', 'proposed by'],
  scope_type: ['구분', 'kind'],
  username: ['로그인 ID', 'user name'],
  displayName: ['이름', 'name'],
  role: ['역할', 'role'],
  screen: ['화면', 'screen'],
  name: ['이름', 'name'],
  why: ['실패 사유', 'cause'],
  limit: ['제한', 'limit'],
  signIn: ['통합 로그인', 'single sign-on'],
  issuer: ['인증 기관', 'provider'],
  endedSessions: ['종료된 다른 세션', 'other sessions ended'],
  method: ['요청 방식', 'method'],
  path: ['요청 경로', 'path'],
  code: ['오류 코드', 'error code'],
  message: ['오류 내용', 'error'],
  fingerprint: ['지문', 'fingerprint'],
  asked: ['요청 기록 번호', 'requested in row'],
  command: ['서버 명령', 'by command'],
  bundles: ['전문', 'bundles'],
  cursorFrom: ['시작 위치', 'from cursor'],
  cursorTo: ['끝 위치', 'to cursor'],
  accounts: ['계정', 'accounts'],
  channels: ['채널', 'channels'],
  since: ['백업의 마지막 기록', 'last record of the backup'],
  held: ['종목 숨김', 'ticker hidden'],
  journalHash: ['다시 실행한 결정 저널의 마지막 기록', 'last record of the decision journal made again'],
  replacedRows: ['대체된 원장의 마지막 기록 번호', 'last row of the replaced ledger'],
  replacedHash: ['그 해시', 'its hash'],
};

/** Values that are codes in any field. */
const VALUE_WORDS: Readonly<Record<string, Words>> = {
  NEW: ['신규', 'new'],
  AUTO_PUBLISHED: ['자동 제공', 'auto-provided'],
  PENDING_REVIEW: ['심사 대기', 'awaiting review'],
  PUBLISHED: ['승인', 'published'],
  REJECTED: ['반려', 'rejected'],
  BLOCKED: ['차단', 'blocked'],
  STOPPED: ['제공 중지', 'stopped'],
  INVALIDATED: ['공급사 철회', 'withdrawn by vendor'],
  TENANT_ADMIN: ['시스템 관리자', 'Tenant Admin'],
  COMPLIANCE_REVIEWER: ['준법 심사자', 'Compliance Reviewer'],
  OPERATOR: ['운영자', 'Operator'],
  SYSTEM: ['시스템', 'System'],
  READ_ONLY: ['조회 전용', 'Read Only'],
  MARKET: ['시장', 'market'],
  CHANNEL: ['채널', 'channel'],
  INSTRUMENT: ['종목', 'instrument'],
  SECTOR: ['업종', 'sector'],
  APPROVE: ['승인', 'approve'],
  APPROVE_EDITED: ['수정 승인', 'approve with edit'],
  REJECT: ['반려', 'reject'],
  BLOCK: ['차단', 'block'],
  REVIEW: ['심사', 'review'],
  approve: ['승인', 'approve'],
  'approve-edited': ['수정 승인', 'approve with edit'],
  reject: ['반려', 'reject'],
  block: ['차단', 'block'],
  FIRST: ['최초 정책', 'first version'],
  WORD_ADDED: ['금지어 추가', 'word added'],
  WORD_CHANGED: ['금지어 변경', 'word changed'],
  WORD_REMOVED: ['금지어 삭제', 'word removed'],
  WORD_SWITCHED_ON: ['금지어 사용', 'word switched on'],
  WORD_SWITCHED_OFF: ['금지어 사용 중지', 'word switched off'],
  CRITERION: ['처리 기준', 'criterion'],
  NOTICE: ['필수 문구', 'required notice'],
  CLEAR: ['허용', 'allowed'],
  LOW: ['낮음', 'low'],
  MEDIUM: ['보통', 'medium'],
  HIGH: ['높음', 'high'],
  autoProvision: ['자동 제공', 'automatic provision'],
  minSources: ['최소 출처 수', 'minimum sources'],
  minConfidence: ['최소 신뢰도', 'minimum confidence'],
  uncertainToReview: ['원인 미확인 설명은 심사', 'unconfirmed causes to review'],
  suspectToReview: ['의심스러운 수익률은 심사', 'suspect returns to review'],
  insidePasses: ['다른 단어의 일부인 금지어는 통과', 'words inside other words pass'],
  fourEyes: ['2인 승인', 'second approval'],
  sampleShare: ['표본 점검 비율(%)', 'sample share (%)'],
  blindShare: ['블라인드 재심사 비율(%)', 'blind review share (%)'],
  holdSeconds: ['제공 보류 시간(초)', 'hold (seconds)'],
  expiresAt: ['제공 종료 시각', 'expiry time'],
  reasonDigits: ['사유별 숫자 키', 'reasons with a digit'],
  DISCLAIMER: ['고지 문구', 'disclaimer'],
  RESTORED: ['이전 버전 복원', 'version restored'],
  NOTE: ['메모', 'note'],
  explanations: ['가격 변동 설명', 'explanations'],
  review: ['심사 대기 목록', 'review queue'],
  EXPIRED: ['시간 경과', 'timeout'],
  SESSION_ENDED: ['접속 종료', 'end of session'],
  'wrong password': ['비밀번호 불일치', 'wrong password'],
  'unknown user': ['없는 사용자', 'unknown user'],
  deactivated: ['비활성 사용자', 'deactivated user'],
  'too many attempts': ['시도 횟수 초과', 'too many attempts'],
  ALTERED: ['감사 기록과 다른 계정', 'the account is not as the audit log tells'],
  PASSWORDS_OFF: ['비밀번호 로그인 사용 안 함', 'passwords are off'],
};

/** The taxonomy of reasons, as the screens name it. */
export const REASON_WORDS: Readonly<Record<ReasonCode, Words>> = {
  ASSERTIVE: ['단정적 판단', 'Assertive judgement'],
  GUARANTEED_RETURN: ['확정수익 오인', 'Implied guaranteed return'],
  LOSS_COMPENSATION: ['손실보전·이익보장 오인', 'Implied loss compensation'],
  SOLICITATION: ['투자권유', 'Solicitation'],
  EXAGGERATION: ['과장·최상급', 'Exaggeration'],
  UNFAIR_COMPARISON: ['부당 비교', 'Unfair comparison'],
  ONE_SIDED: ['장점만 부각', 'One-sided'],
  CHERRY_PICKED_PERIOD: ['유리한 기간 선택', 'Cherry-picked period'],
  WEAK_GROUNDS: ['근거 부족', 'Insufficient grounds'],
  NUMBER_MISMATCH: ['수치 불일치', 'Figure mismatch'],
  FORECAST: ['미래 예측', 'Forecast'],
  RISK_NOTICE_MISSING: ['위험고지 누락', 'Risk notice missing'],
  AI_NOTICE_MISSING: ['AI 고지 누락', 'AI notice missing'],
  OTHER: ['기타', 'Other'],
};

/** Fields that hold people's own words: never treated as a code. */
const WRITTEN = new Set([
  ...['word', 'reason', 'question', 'answer', 'text', 'published_summary', 'edited_summary'],
  ...['approvalNumber', 'pattern', 'username'],
]);
/** Hidden from people: ids, and fields that only programs read. */
const UNSAID = /Ids?$|^id$|^matcherVersion$|^wordsLetStand$|^position$|^snapshotSha256$/;

function say(table: Readonly<Record<string, Words>>, key: string, language: AuditLanguage): string {
  return Object.hasOwn(table, key) ? wordsIn(table[key], language) : key;
}

function wordsIn(words: Words | undefined, language: AuditLanguage): string {
  return words?.[language === 'ko' ? 0 : 1] ?? '';
}

/** The switch of a scope itself. */
const SWITCH: Readonly<Record<string, Words>> = { true: ['제공', 'on'], false: ['제외', 'off'] };
const YES: Readonly<Record<string, Words>> = { true: ['예', 'yes'], false: ['아니요', 'no'] };
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export function actionInWords(action: string, language: AuditLanguage): string {
  return say(ACTION_WORDS, action, language);
}

/** The kind of the action's target. */
export function targetInWords(type: string, language: AuditLanguage): string {
  return say(TARGET_WORDS, type, language);
}

export function actorInWords(actor: string, language: AuditLanguage): string {
  return actor === 'SYSTEM' ? say(VALUE_WORDS, actor, language) : actor;
}

/** The details of an action, field by field. */
export function detailInWords(
  { action, detail }: Pick<AuditAction, 'action' | 'detail'>,
  language: AuditLanguage,
): string {
  return fieldsInWords(detail, { language, switches: action === 'scope.toggle' ? SWITCH : YES }).join(' · ');
}

interface Telling {
  language: AuditLanguage;
  /** The words for true and false. */
  switches: Readonly<Record<string, Words>>;
}

function fieldsInWords(fields: object, telling: Telling): string[] {
  return Object.entries(fields)
    .filter(
      ([key, value]) =>
        !UNSAID.test(key) && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    )
    .flatMap(([key, value]) => {
      if (key === 'spanTo' && 'spanFrom' in fields) return [];
      const said =
        key === 'query'
          ? valueInWords(asSpan(value), telling)
          : key === 'reason'
            ? reasonInWords(String(value), telling.language)
            : WRITTEN.has(key)
              ? String(value)
              : valueInWords(value, telling);
      // A span reads as one.
      const end = key === 'spanFrom' && 'spanTo' in fields ? ` – ${valueInWords(fields.spanTo, telling)}` : '';
      return key === 'kind' ? said : `${say(FIELD_WORDS, key, telling.language)}: ${said}${end}`;
    });
}

/** A code of the taxonomy in words; people's own words as they are. */
export function reasonInWords(reason: string, language: AuditLanguage): string {
  const code = /^[A-Z_]+(?=:|$)/.exec(reason)?.[0] ?? '';
  return code === '' ? reason : say(REASON_WORDS, code, language) + reason.slice(code.length);
}

function valueInWords(value: unknown, telling: Telling): string {
  const { language, switches } = telling;
  if (typeof value === 'boolean') return say(switches, String(value), language);
  const reasons = typeof value === 'string' ? readReasonDigits(value) : null;
  if (reasons !== null) return reasons.map((code) => wordsIn(REASON_WORDS[code], language)).join(', ');
  if (typeof value === 'string')
    return INSTANT.test(value) ? `${kstDateTime(new Date(value))} KST` : say(VALUE_WORDS, value, language);
  if (Array.isArray(value)) return value.map((one) => valueInWords(one, telling)).join('; ');
  if (typeof value === 'object' && value !== null) return fieldsInWords(value, telling).join(', ');
  return String(value);
}

/** The days of an inspection, which are no change from one value to another. */
function asSpan(query: unknown): unknown {
  if (typeof query !== 'object' || query === null || !('from' in query && 'to' in query)) return query;
  const { from: spanFrom, to: spanTo, ...rest } = query;
  return { spanFrom, spanTo, ...rest };
}

type Column = readonly [heading: Words, value: (row: AuditAction, language: AuditLanguage) => string | number];

/** The columns of a file for people. Account and role have columns for the Tenant Admin alone (D70). */
function columns(accounts: boolean): readonly Column[] {
  return [
    [['번호', 'No.'], ({ seq }) => seq],
    [['일시(KST)', 'Time (KST)'], ({ at }) => kstDateTime(new Date(at))],
    [['처리자', 'Person'], ({ actor }, language) => actorInWords(actor, language)],
    ...(accounts
      ? ([
          [
            ['당시 역할', 'Role at that time'],
            ({ actorRole }, language) => say(VALUE_WORDS, actorRole ?? '', language),
          ],
          [['계정 ID', 'Account id'], ({ actorId }) => actorId ?? ''],
          [['접속 주소', 'Source address'], ({ sourceAddress }) => sourceAddress ?? ''],
        ] satisfies Column[])
      : []),
    [['처리 내용', 'Action'], ({ action }, language) => actionInWords(action, language)],
    [['대상', 'Object'], ({ targetType }, language) => targetInWords(targetType, language)],
    [['종목코드', 'Ticker'], ({ explanation }) => explanation?.etf_ticker ?? ''],
    [['종목명', 'Name'], ({ explanation }) => explanation?.etf_name ?? ''],
    [['거래일', 'Trade date'], ({ explanation }) => explanation?.trade_date ?? ''],
    [['대상 ID', 'Object id'], ({ targetId }) => targetId ?? ''],
    [['상세', 'Details'], (row, language) => detailInWords(row, language)],
    [['해시', 'Hash'], ({ hash }) => hash],
  ];
}

/** The first column has numbers. */
export function fileColumns(language: AuditLanguage, accounts: boolean): SheetColumn[] {
  return columns(accounts).map(([heading], n) => ({ heading: wordsIn(heading, language), isNumber: n === 0 }));
}

export function fileCells(row: AuditAction, language: AuditLanguage, accounts: boolean): (string | number)[] {
  return columns(accounts).map(([, value]) => value(row, language));
}
