/** The list of an inspector's request: one row for each explanation, from the same facts as its dossier. */
import { ACTION_WORDS, reasonInWords, type AuditLanguage } from '../../../shared/wire/console/audit-words.ts';
import type { ExplanationStatus } from '../../../shared/wire/console/constants.ts';
import { CSV_MARK, csvLine } from '../../../shared/wire/csv.ts';
import type { SheetColumn } from '../../../shared/wire/workbook.ts';
import { kstDateTime } from '../../../shared/time/kst.ts';
import type { ListedFacts } from '../dossier/collect.ts';
import { provisionOf } from '../explanations/standing.ts';
import { byChannel } from '../serving/served.ts';

type Words = readonly [ko: string, en: string];

const STATES: Readonly<Record<ExplanationStatus, Words>> = {
  AUTO_PUBLISHED: ['자동 제공', 'Auto-provided'],
  PENDING_REVIEW: ['심사 대기', 'Awaiting review'],
  PUBLISHED: ['승인', 'Approved'],
  REJECTED: ['반려', 'Rejected'],
  BLOCKED: ['차단', 'Blocked'],
  STOPPED: ['제공 중지', 'Stopped'],
  INVALIDATED: ['공급사 철회', 'Withdrawn by vendor'],
};

interface Column {
  heading: Words;
  isNumber?: true;
  cell(explanation: ListedFacts, inWords: (words: Words) => string): string | number | null;
}

const kst = (at: string): string => kstDateTime(new Date(at));
/** The last move by a person. */
const lastAct = ({ history }: ListedFacts) => history.findLast(({ actor_id }) => actor_id !== null);
const times = ({ served }: ListedFacts): string[] => served.flatMap((one) => [one.firstAt, one.lastAt]).toSorted();

const COLUMNS: readonly Column[] = [
  { heading: ['설명 ID', 'Explanation'], cell: ({ id }) => id },
  { heading: ['종목코드', 'Ticker'], cell: ({ fields }) => fields.etf_ticker },
  { heading: ['종목명', 'Name'], cell: ({ fields }) => fields.etf_name },
  { heading: ['시장', 'Market'], cell: ({ fields }) => fields.market },
  { heading: ['기준일', 'Trade date'], cell: ({ fields }) => fields.trade_date },
  { heading: ['설명 시각 (KST)', 'As of (KST)'], cell: ({ fields }) => kst(fields.explanation_as_of) },
  { heading: ['수신 (KST)', 'Received (KST)'], cell: ({ receivedAt }) => kst(receivedAt) },
  { heading: ['현재 상태', 'State'], cell: (one, inWords) => inWords(STATES[statusOf(one)]) },
  {
    heading: ['처리자', 'People'],
    cell: ({ history }) =>
      [...new Set(history.flatMap(({ actor_id, actor }) => (actor_id === null ? [] : [actor])))].join('; '),
  },
  {
    heading: ['최종 처리', 'Last act'],
    cell: (one, inWords) => {
      const act = lastAct(one);
      return act === undefined ? null : inWords(ACTION_WORDS[`explanation.${act.move}`] ?? [act.move, act.move]);
    },
  },
  { heading: ['최종 처리 시각 (KST)', 'Last act at (KST)'], cell: (one) => optional(lastAct(one)?.at) },
  {
    heading: ['사유', 'Reason'],
    cell: (one, inWords) => {
      const reason = lastAct(one)?.reason ?? null;
      return reason === null ? null : inWords([reasonInWords(reason, 'ko'), reasonInWords(reason, 'en')]);
    },
  },
  {
    heading: ['정책 버전', 'Policy version'],
    isNumber: true,
    cell: ({ history }) => history.at(-1)?.policy_version ?? null,
  },
  { heading: ['공급사 원문', "Vendor's text"], cell: ({ fields }) => fields.summary },
  {
    heading: ['제공 문구', 'Text for channels'],
    cell: ({ history }) => provisionOf(history)?.published_summary ?? null,
  },
  { heading: ['최초 제공 (KST)', 'First given (KST)'], cell: (one) => optional(times(one).at(0)) },
  { heading: ['최종 제공 (KST)', 'Last given (KST)'], cell: (one) => optional(times(one).at(-1)) },
  {
    heading: ['제공 횟수', 'Requests served'],
    isNumber: true,
    cell: ({ served }) => served.reduce((sum, one) => sum + one.times, 0),
  },
  {
    heading: ['채널별 제공 횟수', 'Requests by channel'],
    cell: ({ served }) =>
      byChannel(served)
        .map(({ channel, times }) => `${channel} ${times}`)
        .join('; '),
  },
];

const optional = (at: string | undefined): string | null => (at === undefined ? null : kst(at));

/** The state after its last move. */
export const statusOf = ({ history }: Pick<ListedFacts, 'history'>): ExplanationStatus =>
  history.at(-1)?.to_status ?? 'PENDING_REVIEW';

/** The values of one explanation, in the order of the columns. */
export type ListCells = readonly (string | number | null)[];

export const listColumns = (language: AuditLanguage): SheetColumn[] =>
  COLUMNS.map(({ heading, isNumber = false }) => ({ heading: inLanguage(language)(heading), isNumber }));

export const listCells = (explanation: ListedFacts, language: AuditLanguage): ListCells =>
  COLUMNS.map(({ cell }) => cell(explanation, inLanguage(language)));

export const listHead = (language: AuditLanguage): string =>
  CSV_MARK + csvLine(listColumns(language).map(({ heading }) => heading));

export const listRow = (explanation: ListedFacts, language: AuditLanguage): string =>
  csvLine(listCells(explanation, language));

const inLanguage =
  (language: AuditLanguage) =>
  ([ko, en]: Words): string =>
    language === 'ko' ? ko : en;
