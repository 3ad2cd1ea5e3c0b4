/** The view of the facts, kept in the address except for files that replace answers. */
import { readPage, readText, readWord, writeAddress, writePage } from '../../../navigation/address.ts';
import { SEVERITIES, type Severity } from '../../../rules/rule.ts';
import { AXIS_IDS, type AxisId } from './axes.ts';

export const TREND_DAYS = [14, 30, 90, 366] as const;
export type TrendDays = (typeof TREND_DAYS)[number];
const DEFAULT_DAYS: TrendDays = 30;
const FIRST_AXIS: AxisId = 'runs';

export interface FactsView {
  /** The requested day, unread: the server judges its validity. Null: the latest with data. */
  date: string | null;
  /** The comparison day. */
  against: string | null;
  /** The name of the file that replaces the server's answer. */
  file: string | null;
  againstFile: string | null;
  severity: Severity | null;
  /** The verdict that is open, as `verdict-keys.ts` names it. */
  verdict: string | null;
  verdictPage: number;
  axis: AxisId;
  page: number;
  q: string;
  /** Whether a comparison also lists equal values. */
  withSame: boolean;
  days: TrendDays;
}

export function readFactsView(params: URLSearchParams): FactsView {
  const given = (name: string): string | null => readText(params.get(name)) || null;
  const days = readWord(params.get('days'), TREND_DAYS.map(String));
  return {
    date: given('date'),
    against: given('against'),
    file: given('file'),
    againstFile: given('againstFile'),
    severity: readWord(params.get('severity'), SEVERITIES),
    verdict: params.get('verdict'),
    verdictPage: readPage(params.get('verdictPage')),
    axis: readWord(params.get('axis'), AXIS_IDS) ?? FIRST_AXIS,
    page: readPage(params.get('page')),
    q: readText(params.get('q')),
    withSame: params.get('same') === 'shown',
    days: TREND_DAYS.find((count) => String(count) === days) ?? DEFAULT_DAYS,
  };
}

export function writeFactsView({ axis, page, verdictPage, withSame, days, ...view }: FactsView): string {
  return writeAddress({
    ...view,
    verdictPage: writePage(verdictPage),
    axis: axis === FIRST_AXIS ? null : axis,
    page: writePage(page),
    same: withSame ? 'shown' : null,
    days: days === DEFAULT_DAYS ? null : days,
  });
}
