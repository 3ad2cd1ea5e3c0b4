/** What of the audit log is shown. Days are Korean days. */
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

const DAY_MS = 86_400_000;

/** The same as the API takes it: instants, the second one exclusive. */
export function askedOf({ subject, from, to, system }: AuditFilter): Omit<AuditQuery, 'page' | 'size'> {
  return {
    ...(subject === 'all' ? {} : { action: `${subject}.*` }),
    ...(from === '' ? {} : { from: startOfDay(from).toISOString() }),
    ...(to === '' ? {} : { to: new Date(startOfDay(to).getTime() + DAY_MS).toISOString() }),
    ...(system ? { system: 'true' } : {}),
  };
}

function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000+09:00`);
}
