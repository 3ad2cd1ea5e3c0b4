/** The elapsed life of a certificate: renewal is due after two thirds of it. Pure. */
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

/** As above, for a caller that knows only the whole days left, by a clock better than its own. */
export function isRenewalDue(validFrom: string, validTo: string, daysLeft: number): boolean {
  return daysLeft * 3 * DAY_MS <= Date.parse(validTo) - Date.parse(validFrom);
}
