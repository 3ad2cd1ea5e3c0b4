/** The axes `slots` and `rhythm` of the reference: hours counted run by run (operator API 2.4, D215). */
import { SOME_TIME, type Ledger } from './ledger.ts';
import { compare, dayOf, instant, runDay } from './reference-base.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY_MS;

interface Slot {
  key: string;
  lane: string | null;
  /** Of the key; null for an unreadable one. */
  date: string | null;
}

/** @param slotOf reads the key of a slot */
export function slotsOf(ledger: Ledger, slotOf: (key: string) => Slot, day: string, now: string): unknown {
  return ledger.slots
    .flatMap((row) => {
      const slot = slotOf(row.slot_key);
      const planned = String(row['planned_for'] ?? SOME_TIME);
      const date = slot.date ?? dayOf(planned);
      const apart = dayNumber(dayOf(planned)) - dayNumber(date);
      const isPassed = Date.parse(planned) <= Date.parse(now) - 10 * 60_000;
      const isKnown =
        ledger.runs.some((run) => run.run_key === row.slot_key) ||
        ledger.issues.some(
          (issue) => issue.planner_slot_id === row.planner_slot_id && issue.issue_type === 'PLANNER_MISSING',
        );
      return date === day && Math.abs(apart) <= 1 && isPassed && !isKnown
        ? [{ id: slot.key, lane: slot.lane, plannedFor: instant(planned) }]
        : [];
    })
    .toSorted((a, b) => compare(a.id, b.id));
}

/** Collections of sources are in no ledger of these tests. */
export function rhythmOf(ledger: Ledger, day: string, now: string): unknown {
  const lanes = [...new Set(ledger.runs.map(({ lane }) => lane))].toSorted(compare);
  const isInView = (shown: number): boolean =>
    [day, dayOf(now)].some((one) => shown <= dayNumber(one) && shown > dayNumber(one) - 7);
  return {
    lanes: lanes.map((lane) => {
      const begun = ledger.runs
        .filter((run) => run.lane === lane && dayNumber(dayOf(run.created_at)) - dayNumber(runDay(run)) <= 10)
        .map((run) => Date.parse(run.created_at));
      const past = begun.filter((at) => at <= Date.parse(now));
      const counts = new Map<number, number[]>();
      for (const at of past)
        for (let week = 0; week <= 4; week += 1) {
          const shown = at + week * 7 * DAY_MS;
          const shownDay = dayOf(new Date(shown).toISOString());
          // Hours of today that are still to come are no hours yet.
          if (shown > Date.parse(now) || !isInView(dayNumber(shownDay))) continue;
          const hour = Math.floor(shown / HOUR_MS) * HOUR_MS;
          const own = counts.get(hour) ?? [0, 0, 0, 0, 0];
          own[week] = (own[week] ?? 0) + 1;
          counts.set(hour, own);
        }
      const days = ledger.runs.filter((run) => run.lane === lane).map((run) => ({ run, day: runDay(run) }));
      return {
        id: lane,
        lastDay:
          days
            .map((one) => one.day)
            .filter((one) => one <= dayOf(now))
            .toSorted(compare)
            .at(-1) ?? null,
        nonTradingDays: [
          ...new Set(
            days
              .filter((one) => one.run.skip_reason === 'NON_TRADING_DAY' && isInView(dayNumber(one.day)))
              .map((one) => one.day),
          ),
        ].toSorted(compare),
        last: past.length === 0 ? null : new Date(Math.max(...past)).toISOString(),
        hours: [...counts]
          .toSorted(([a], [b]) => a - b)
          .map(([hour, [count, ...before]]) => ({ at: new Date(hour).toISOString(), count, before })),
      };
    }),
    sources: [],
  };
}
