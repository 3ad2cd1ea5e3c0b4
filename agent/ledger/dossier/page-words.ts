/** The words of the page, Korean and then English, by the terms of compliance departments. */
import { actorInWords, reasonInWords } from '../../../shared/wire/console/audit-words.ts';
import type { ShownCause, Showing, ShownRequests } from '../../../shared/wire/console/shown.ts';

type Words = readonly [ko: string, en: string];

export const HEADINGS = {
  title: ['증빙 파일', 'Dossier'],
  about: ['작성 정보', 'About this dossier'],
  madeAt: ['작성 시각', 'Made at'],
  madeBy: ['작성자', 'Made by'],
  subject: ['대상', 'Subject'],
  shown: ['채널 제공 이력', 'What channels were given'],
  from: ['시작 (KST)', 'From (KST)'],
  state: ['상태', 'State'],
  cause: ['변경 사유', 'Cause'],
  texts: ['제공 문구', 'Texts given'],
  explanation: ['설명', 'Explanation'],
  vendorText: ['공급사 원문', "Vendor's text"],
  history: ['처리 이력', 'History'],
  time: ['시각 (KST)', 'Time (KST)'],
  act: ['처리', 'Act'],
  actor: ['처리자', 'Person'],
  reason: ['사유', 'Reason'],
  screening: ['심사 결과', 'Screening'],
  policy: ['정책', 'Policy'],
  matcher: ['검출기', 'Matcher'],
  checks: ['통과하지 못한 검사', 'Checks not passed'],
  dismissed: ['오탐 처리', 'Hits dismissed as false'],
  word: ['금지어', 'Forbidden word'],
  served: ['제공 횟수', 'Requests served'],
  channel: ['채널', 'Channel'],
  times: ['횟수', 'Times'],
  first: ['최초 (KST)', 'First (KST)'],
  last: ['최종 (KST)', 'Last (KST)'],
  bundles: ['수신 원본', 'As received'],
  cursors: ['커서', 'Cursors'],
  receivedAt: ['수신 (KST)', 'Received (KST)'],
  statement: ['공급사 서명문', "Vendor's statement"],
  disclaimer: ['고지 문구', 'Disclaimer'],
  authors: ['문구 작성자', 'Authors of the text'],
  approval: ['심사필 번호', 'Approval number'],
  rows: ['감사 기록', 'Rows of the audit log'],
  row: ['행', 'Row'],
  check: ['확인 방법', 'How to check'],
} as const satisfies Record<string, Words>;

export const both = ([ko, en]: Words): string => (ko === en ? ko : `${ko} / ${en}`);

/** A person by name, or the program. */
export const actor = (name: string): string => both([actorInWords(name, 'ko'), actorInWords(name, 'en')]);

/** A code of the taxonomy in words; people's own words as they are. */
export const reason = (told: string): string => both([reasonInWords(told, 'ko'), reasonInWords(told, 'en')]);

export const NONE: Words = ['없음', 'none'];
export const MORE = (left: number): string => `외 ${left}건 (JSON 파일 참조) / ${left} more, in the JSON files`;
export const CUT: Words = ['이하 생략, 전문은 JSON 파일', 'cut here, in full in the JSON files'];
export const HOW =
  '이 문서는 같은 ZIP에 든 JSON 파일을 읽기 쉽게 정리한 것입니다. 원본과 서명은 “causeway-agent verify-dossier 파일”로 확인합니다. / ' +
  'This page sets out the JSON files of the same ZIP for people to read. Check originals and signatures with “causeway-agent verify-dossier FILE”.';

const WHY: Readonly<Record<Extract<Showing, { state: 'NOTHING' }>['reason'], Words>> = {
  NOTHING_YET: ['제공된 설명 없음', 'no explanation provided yet'],
  STATE: ['제공 상태 아님', 'not in a provided state'],
  AHEAD: ['거래일 또는 기준 시각 전', 'dated ahead'],
  HELD: ['승인 후 제공 보류', 'on hold after approval'],
  EXPIRED: ['제공 종료 시각 경과', 'expired'],
  LAPSED: ['심사필 유효기간 경과', 'approval lapsed'],
  NO_POLICY: ['적용 중인 정책 없음', 'no active policy'],
  SCOPE: ['제공 범위 제외', 'outside the serving scope'],
  REBUILD: ['원장 재구성 중', 'rebuild under way'],
};

const NOTHING: Words = ['제공 안 함', 'Nothing given'];

/** Reservations come first, because a long cell is cut. */
const doubtsOf = ({ corrected, repeated }: Exclude<Showing, { state: 'UNKNOWN' }>): string[] => [
  ...(corrected
    ? [both(['이후 원장 재구성에서 정정됨, 실제와 다를 수 있음', 'rows corrected later, may have differed'])]
    : []),
  ...(repeated ? [both(['시계가 되돌려져 반복된 시각', 'time repeated, the clock was set back'])] : []),
];

export function stateInWords(showing: Showing): string {
  switch (showing.state) {
    case 'GIVEN': {
      const channels = showing.channels.filter(({ inside }) => inside).map(({ channel }) => channel);
      const given = `${both(['제공', 'Given'])}: ${channels.join(', ')}`;
      const nothing = `${both(NOTHING)}: ${both(['모든 채널 제외', 'every channel excluded'])}`;
      return [...doubtsOf(showing), channels.length === 0 ? nothing : given].join('; ');
    }
    case 'NOTHING':
      return [...doubtsOf(showing), `${both(NOTHING)}: ${both(WHY[showing.reason])}`].join('; ');
    case 'UNKNOWN':
      return both(
        showing.reason === 'BEFORE_RECORD'
          ? ['기록 없음: 제공 기록 시작 전', 'Unknown: before the record begins']
          : ['기록 없음: 백업과 복원 사이', 'Unknown: between backup and restore'],
      );
  }
}

/** By channel; a dash joins the least and the most where the count is not exact. */
export const requestsInWords = (requests: readonly ShownRequests[]): string =>
  requests.map(({ channel, times, most }) => `${channel} ${times === most ? times : `${times}–${most}`}`).join(', ');

/** @param moveInWords the words of a move */
export function causeInWords(cause: ShownCause, moveInWords: (move: string) => string): string {
  switch (cause.kind) {
    case 'MOVE':
      return `${moveInWords(cause.move)} (${actor(cause.actor)})`;
    case 'HOLD_OVER':
      return both(['제공 보류 종료', 'Hold over']);
    case 'EXPIRED':
      return `${both(['제공 종료 시각', 'Expiry'])} ${cause.time}`;
    case 'LAPSED':
      return both(['심사필 유효기간 종료', 'Approval lapsed']);
    case 'FIELDS':
      return both(['공급사의 설명 정보 변경', "Change of the vendor's fields"]);
    case 'SCOPE':
      return `${both(cause.enabled ? ['제공 범위 포함', 'Switched on'] : ['제공 범위 제외', 'Switched off'])}: ${cause.key} (${cause.by ?? ''})`;
    case 'INSTRUMENT':
      return both(['종목의 시장·업종 변경', 'Market or sector changed']);
    case 'POLICY':
      return `${both(['정책 시행', 'Policy in force'])} v${cause.version} (${cause.by ?? ''})`;
    case 'CHANNEL':
      return `${both(cause.open ? ['채널 등록', 'Channel added'] : ['채널 삭제', 'Channel removed'])}: ${cause.channel}`;
    case 'REBUILD':
      return both(cause.held ? ['원장 재구성 시작', 'Rebuild begun'] : ['원장 재구성 종료', 'Rebuild over']);
    case 'CORRECTED':
      return both(['원장 행 정정', 'Rows corrected']);
    case 'RECORD_BEGINS':
      return both(['제공 기록 시작', 'Record begins']);
    case 'BACKUP_ENDS':
      return both(['복원된 백업의 마지막 기록', 'Last row of the restored backup']);
    case 'RESTORED':
      return both(['백업 복원', 'Restored from a backup']);
    case 'CLOCK':
      return both(['시계 변경', 'Clock changed']);
    default:
      return cause satisfies never;
  }
}
