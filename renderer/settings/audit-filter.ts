/** What of the audit log is shown. Days are Korean days. */
import { kstDayEnd, kstMidnight } from '../../shared/time/kst.ts';
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
] as const;

export interface AuditFilter {
  subject: (typeof SUBJECTS)[number];
  /** `YYYY-MM-DD`, both days included; empty for no bound. */
  from: string;
  to: string;
  system: boolean;
}

export const PLAIN_FILTER: AuditFilter = { subject: 'all', from: '', to: '', system: false };

/** The same as the API takes it: instants, the second one exclusive. */
export function askedOf({ subject, from, to, system }: AuditFilter): Omit<AuditQuery, 'page' | 'size'> {
  return {
    ...(subject === 'all' ? {} : { action: `${subject}.*` }),
    ...(from === '' ? {} : { from: kstMidnight(from).toISOString() }),
    ...(to === '' ? {} : { to: kstDayEnd(to).toISOString() }),
    ...(system ? { system: 'true' } : {}),
  };
}
