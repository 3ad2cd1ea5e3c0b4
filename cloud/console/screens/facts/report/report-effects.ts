/** The failures of the day and their effects, as parts of a report: tasks with reasons, ETFs, waiting tenants. */
import type { Text } from '../../../../../shared/ui/i18n/use-text.ts';
import { kstText } from '../../../../../shared/ui/time/format.ts';
import type { FailedTask, TaskImpact } from '../../../../../shared/wire/operator/operator.ts';
import type { MessageId } from '../../../i18n/use-text.ts';
import type { ReadFacts } from '../../../rules/rule.ts';
import { code, escape, tableOf } from './report-html.ts';

type Words = Text<MessageId>;

/** For a column with the zone in its heading. */
const time = (at: string | null): string => (at === null ? '–' : escape(kstText(at, 'second') ?? at));

const note = (words: string): string => `<p class="note">${escape(words)}</p>`;

/** Marks values of the report's own moment, for a report about any day. */
export const nowMark = (text: Words): string => `<span class="now">${escape(text('verdicts.current'))}</span>`;

/** The most rows, and the longest message: a thousand failures with a page each would hide one another. */
const MOST_ROWS = 200;
const MOST_SIGNS = 1_000;

export function failuresOf(facts: ReadFacts, text: Words): string {
  const { failures } = facts;
  const missed = missedRuns(facts);
  const alsoMissed = missed === 0 ? '' : note(text('report.missed', { count: missed }));
  if (failures === undefined) return note(text('report.failures.absent')) + alsoMissed;
  if (failures.runs.length === 0) return missed === 0 ? note(text('failures.empty')) : alsoMissed;
  const rows = failures.runs.flatMap(({ runKey, tasks }) =>
    tasks.map((task) => [
      code(runKey),
      `${code(task.taskKey)}${task.required ? '' : ` ${escape(text('defects.optional'))}`}`,
      task.dataset === null || task.dataset === '' ? '–' : code(task.dataset),
      escape(text(`outcome.${task.outcome}`)),
      reasonOf(task, text),
      time(task.at),
      recoveryOf(task, text),
    ]),
  );
  const heads = [
    'run.title',
    'failures.task',
    'facts.field.dataset',
    'field.outcome',
    'failures.reason',
    'failures.atZone',
    'failures.recoveredZone',
  ] as const;
  return `<p>${escape(openCounts(failures, text))}</p>${tableOf(
    heads.map((head) => text(head)),
    rows.slice(0, MOST_ROWS),
  )}${rows.length > MOST_ROWS ? note(text('report.moreFailures', { count: rows.length - MOST_ROWS })) : ''}${alsoMissed}`;
}

/** Planned slots whose time is past and that no run has (operator API 2, runs rule 4; D215). */
const missedRuns = ({ runs, slots }: ReadFacts): number =>
  (runs ?? []).filter(({ noRunRow }) => noRunRow === true).length + (slots ?? []).length;

/** How many failures are open, and how many a later run has repaired. */
function openCounts({ runs }: NonNullable<ReadFacts['failures']>, text: Words): string {
  const tasks = runs.flatMap((run) => run.tasks);
  const open = tasks.filter(({ recovery }) => recovery === null).length;
  return text('failures.counts', { open, recovered: tasks.length - open });
}

/** `–` alone would look like a value that was not read. */
const recoveryOf = ({ recovery }: FailedTask, text: Words): string =>
  recovery === null ? escape(text('failures.open')) : `${time(recovery.at)} ${code(recovery.runKey)}`;

const cut = (message: string): string => (message.length > MOST_SIGNS ? `${message.slice(0, MOST_SIGNS)}…` : message);

function reasonOf({ errorCode, errorMessage, outcome }: FailedTask, text: Words): string {
  if (errorCode === null && errorMessage === null)
    return outcome === 'MISSING' ? '–' : escape(text('failures.noReason'));
  const words = errorCode === null ? null : text('ledger.word', { word: errorCode });
  const named = words === null || words === errorCode ? '' : escape(words);
  return [
    named,
    errorCode === null ? '' : code(errorCode),
    errorMessage === null ? '' : `<span class="said">${escape(cut(errorMessage))}</span>`,
  ]
    .join(' ')
    .trim();
}

/** The tasks whose effects a report reads: those that failed, not those that waited for them. */
export const tasksWithEffects = (failures: NonNullable<ReadFacts['failures']>): { runKey: string; taskKey: string }[] =>
  failures.runs.flatMap(({ runKey, tasks }) =>
    tasks
      .filter(({ outcome }, index) => outcome === 'FAILED' || index === 0)
      .map(({ taskKey }) => ({ runKey, taskKey })),
  );

/** How many tasks have effects that the report has not read. */
const unreadTasks = ({ failures }: ReadFacts, impacts: readonly TaskImpact[]): number =>
  failures === undefined ? 0 : Math.max(0, tasksWithEffects(failures).length - impacts.length);

/** @param impacts null: they could not be read, as of a saved file */
export function etfsOf(facts: ReadFacts, impacts: readonly TaskImpact[] | null, text: Words): string {
  if (impacts === null) return note(text('report.impacts.absent'));
  if (impacts.length === 0) return note(text('failures.empty'));
  const unread = unreadTasks(facts, impacts);
  const some = { shown: impacts.length, total: impacts.length + unread };
  return [
    ...(unread === 0 ? [] : [note(text('report.impacts.some', some))]),
    ...impacts.map((impact) => etfsOfTask(impact, text)),
  ].join('\n');
}

function etfsOfTask({ run, task, lineage, etfs, analyses }: TaskImpact, text: Words): string {
  const { recovery } = task;
  const isBound = lineage.basis === 'NOT_RECORDED';
  const back =
    recovery === null
      ? escape(text('impact.recovery.none'))
      : `${code(recovery.runKey)} ${escape(text('impact.recovery.at'))} ${time(recovery.at)} KST`;
  return `<h3>${code(task.taskKey)} · ${code(run.runKey)}</h3>
<p><strong>${escape(text(isBound ? 'impact.etfsBound' : 'impact.etfs', { count: etfs.total }))}</strong> ${escape(text(`impact.basis.${lineage.basis}`, { from: lineage.from, to: lineage.to }))}</p>
<p>${etfs.items.map(({ ticker, name }) => `${code(ticker)} ${escape(name)}`).join(', ')}${etfs.total > etfs.items.length ? ` ${escape(text('impact.capped', { shown: etfs.items.length, total: etfs.total }))}` : ''}</p>
<p>${escape(text('impact.analyses', { count: analyses.total }))} · ${escape(text('impact.without', { count: analyses.without }))} · ${escape(text('impact.recovery'))}: ${back}</p>`;
}

interface WaitingTenant {
  name: string;
  /** Null: the count was not read. */
  analyses: number | null;
  withdrawn: number | null;
  late: number | null;
  since: string | null;
}

type Named = Pick<TaskImpact['tenants']['items'][number], 'tenantId' | 'name' | 'hasNamesake'>;

/**
 * The waiting tenants: for the analyses behind the failed tasks, and for withdrawals. Current values, for a report
 * about any day. A tenant that a whole list does not name has none; beyond a list that was cut, or where it was not
 * read, the count is a dash (operator API 2.5).
 */
export function tenantsOf(facts: ReadFacts, impacts: readonly TaskImpact[] | null, text: Words): string {
  const { withdrawals } = facts;
  if (impacts === null && withdrawals === undefined) return note(text('report.impacts.absent'));
  const isWhole = (list: { items: readonly unknown[]; total: number }): boolean => list.items.length === list.total;
  const allAnalyses =
    impacts !== null && unreadTasks(facts, impacts) === 0 && impacts.every(({ tenants }) => isWhole(tenants));
  const allWithdrawals = withdrawals !== undefined && isWhole(withdrawals.tenants);
  const waiting = new Map<number, WaitingTenant>();
  const of = ({ tenantId, name, hasNamesake }: Named): WaitingTenant => {
    const nothing = allWithdrawals ? 0 : null;
    const known = waiting.get(tenantId) ?? {
      name: hasNamesake ? `${name} #${tenantId}` : name,
      analyses: allAnalyses ? 0 : null,
      withdrawn: nothing,
      late: nothing,
      since: null,
    };
    waiting.set(tenantId, known);
    return known;
  };
  const earlier = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a);
  for (const { tenants } of impacts ?? [])
    for (const named of tenants.items) {
      const { waiting: count, waitingSince } = named;
      const tenant = of(named);
      // The same analyses may depend on several tasks: the largest count includes them.
      tenant.analyses = Math.max(tenant.analyses ?? 0, count);
      tenant.since = earlier(tenant.since, waitingSince);
    }
  for (const named of withdrawals?.tenants.items ?? []) {
    const { waiting: count, overdue, waitingSince } = named;
    const tenant = of(named);
    tenant.withdrawn = count;
    tenant.late = overdue;
    tenant.since = earlier(tenant.since, waitingSince);
  }
  if (waiting.size === 0)
    return allAnalyses && allWithdrawals
      ? `<p>${nowMark(text)} ${escape(text('impact.noTenants'))}</p>`
      : note(text('report.tenants.unread'));
  const count = (value: number | null): string => (value === null ? '–' : String(value));
  const rows = [...waiting.values()];
  const isUnread = rows.some(({ analyses, withdrawn }) => analyses === null || withdrawn === null);
  return `<p>${nowMark(text)} ${escape(text('impact.tenants.note'))}</p>${tableOf(
    [
      text('field.tenant'),
      text('report.tenants.analyses'),
      text('report.tenants.withdrawals'),
      text('report.tenants.late'),
      text('report.tenants.since'),
    ],
    rows.map(({ name, analyses, withdrawn, late, since }) => [
      escape(name),
      count(analyses),
      count(withdrawn),
      count(late),
      time(since),
    ]),
  )}${isUnread ? note(text('report.tenants.unread')) : ''}`;
}
