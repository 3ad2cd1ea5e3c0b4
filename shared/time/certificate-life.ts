/** How far the life of a certificate has gone: it is to be renewed before two thirds of it are over. Pure. */
export interface Renewal {
  state: 'NOT_YET' | 'GOOD' | 'DUE' | 'EXPIRED';
  /** Whole days until it ends; negative afterwards. */
  daysLeft: number;
  /** When two thirds of its life are over. */
  dueFrom: Date;
}

const DAY_MS = 86_400_000;

export function renewalOf(validFrom: Date, validTo: Date, now: Date): Renewal {
  const [from, to, at] = [validFrom.getTime(), validTo.getTime(), now.getTime()];
  const due = from + ((to - from) * 2) / 3;
  const state = at < from ? 'NOT_YET' : at >= to ? 'EXPIRED' : at >= due ? 'DUE' : 'GOOD';
  return { state, daysLeft: Math.floor((to - at) / DAY_MS), dueFrom: new Date(due) };
}

/** The same for whoever is told only how many whole days are left, by a clock that is better than its own. */
export function isRenewalDue(validFrom: string, validTo: string, daysLeft: number): boolean {
  return daysLeft * 3 * DAY_MS <= Date.parse(validTo) - Date.parse(validFrom);
}
