/** The filter of the audit log. Days are Korean days. */
import { isCalendarDate, kstDayEnd, kstMidnight } from '../../../shared/time/kst.ts';
import type { AuditQuery } from '../../api/client.ts';

export const SUBJECTS = [
  'all',
  'explanation',
  'review',
  'policy',
  'scope',
  'member',
  'auth',
  'access',
  'sync',
  // Single actions that other screens link to.
  'explanation.approve',
  'explanation.approve-edited',
  'explanation.reject',
  'explanation.block',
] as const;
export type AuditSubject = (typeof SUBJECTS)[number];

export interface AuditFilter {
  subject: AuditSubject;
  /** `YYYY-MM-DD`, both days included; empty for no limit. */
  from: string;
  to: string;
  system: boolean;
  /** Whether the start and end of claims are listed. */
  claims: boolean;
  /** Display name of a person; empty for all. */
  person: string;
  /** A whole ticker; empty for all. */
  ticker: string;
  /** A text that the rows show; empty for all. */
  words: string;
  /** Number of one row; empty for all. */
  row: string;
}

export const PLAIN_FILTER: AuditFilter = {
  subject: 'all',
  from: '',
  to: '',
  system: false,
  claims: false,
  person: '',
  ticker: '',
  words: '',
  row: '',
};

/** The log with a filter as an address. */
export function auditHref(
  filter: Partial<Pick<AuditFilter, 'subject' | 'from' | 'to' | 'person' | 'ticker' | 'words' | 'row'>>,
): string {
  return `/settings/audit?${new URLSearchParams(filter).toString()}`;
}

/** Reads the address; unknown parts are ignored. */
export function readAuditFilter(search: string): AuditFilter {
  const params = new URLSearchParams(search);
  const day = (name: string): string => {
    const date = params.get(name) ?? '';
    return isCalendarDate(date) ? date : '';
  };
  const subject = SUBJECTS.find((one) => one === params.get('subject')) ?? PLAIN_FILTER.subject;
  const [person, ticker, words] = [params.get('person') ?? '', params.get('ticker') ?? '', params.get('words') ?? ''];
  const row = /^[1-9]\d{0,14}$/.exec(params.get('row') ?? '')?.[0] ?? '';
  return { ...PLAIN_FILTER, subject, from: day('from'), to: day('to'), person, ticker, words, row };
}

/** The filter as the API takes it: instants, the second one exclusive. */
export function queryOf(filter: AuditFilter): Omit<AuditQuery, 'page' | 'size'> {
  const { subject, from, to, system, claims, person, ticker, words, row } = filter;
  if (row !== '') return { seq: row, system: 'true' };
  return {
    ...(subject === 'all' ? {} : { action: subject.includes('.') ? subject : `${subject}.*` }),
    ...(from === '' ? {} : { from: kstMidnight(from).toISOString() }),
    ...(to === '' ? {} : { to: kstDayEnd(to).toISOString() }),
    ...(person === '' ? {} : { actor: person }),
    ...(ticker === '' ? {} : { ticker }),
    ...(words === '' ? {} : { q: words }),
    ...(system ? { system: 'true' } : {}),
    ...(claims ? {} : { claims: 'false' }),
  };
}
