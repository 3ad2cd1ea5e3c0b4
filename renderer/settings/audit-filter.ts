/** What of the audit log is shown. Days are Korean days. */
import { isCalendarDate, kstDayEnd, kstMidnight } from '../../shared/time/kst.ts';
import type { AuditQuery } from '../api/client.ts';

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
  // Single acts, which other screens lead to.
  'explanation.approve',
  'explanation.approve-edited',
  'explanation.reject',
  'explanation.block',
] as const;
export type AuditSubject = (typeof SUBJECTS)[number];

export interface AuditFilter {
  subject: AuditSubject;
  /** `YYYY-MM-DD`, both days included; empty for no bound. */
  from: string;
  to: string;
  system: boolean;
}

export const PLAIN_FILTER: AuditFilter = { subject: 'all', from: '', to: '', system: false };

/** The log with a filter as an address. */
export function auditHref(filter: Partial<Pick<AuditFilter, 'subject' | 'from' | 'to'>>): string {
  return `/settings/audit?${new URLSearchParams(filter).toString()}`;
}

/** Reads the address; what it does not know is left out. */
export function readAuditFilter(search: string): AuditFilter {
  const params = new URLSearchParams(search);
  const day = (name: string): string => {
    const date = params.get(name) ?? '';
    return isCalendarDate(date) ? date : '';
  };
  const subject = SUBJECTS.find((one) => one === params.get('subject')) ?? PLAIN_FILTER.subject;
  return { ...PLAIN_FILTER, subject, from: day('from'), to: day('to') };
}

/** The same as the API takes it: instants, the second one exclusive. */
export function askedOf({ subject, from, to, system }: AuditFilter): Omit<AuditQuery, 'page' | 'size'> {
  return {
    ...(subject === 'all' ? {} : { action: subject.includes('.') ? subject : `${subject}.*` }),
    ...(from === '' ? {} : { from: kstMidnight(from).toISOString() }),
    ...(to === '' ? {} : { to: kstDayEnd(to).toISOString() }),
    ...(system ? { system: 'true' } : {}),
  };
}
