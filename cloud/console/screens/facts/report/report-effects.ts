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

export function failuresOf({ failures }: ReadFacts, text: Words): string {
  if (failures === undefined) return note(text('report.failures.absent'));
  if (failures.runs.length === 0) return note(text('failures.empty'));
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
    rows,
  )}`;
}

/** How many failures are open, and how many a later run has repaired. */
function openCounts({ runs }: NonNullable<ReadFacts['failures']>, text: Words): string {
  const tasks = runs.flatMap((run) => run.tasks);
  const open = tasks.filter(({ recovery }) => recovery === null).length;
  return text('failures.counts', { open, recovered: tasks.length - open });
}

/** `–` alone would look like a value that was not read. */
const recoveryOf = ({ recovery }: FailedTask, text: Words): string =>
  recovery === null ? escape(text('failures.open')) : `${time(recovery.at)} ${code(recovery.runKey)}`;

function reasonOf({ errorCode, errorMessage, outcome }: FailedTask, text: Words): string {
  if (errorCode === null && errorMessage === null)
    return outcome === 'MISSING' ? '–' : escape(text('failures.noReason'));
  const words = errorCode === null ? null : text('ledger.word', { word: errorCode });
  const named = words === null || words === errorCode ? '' : escape(words);
  return [
    named,
    errorCode === null ? '' : code(errorCode),
    errorMessage === null ? '' : `<span class="said">${escape(errorMessage)}</span>`,
  ]
    .join(' ')
    .trim();
}

/** @param impacts null: they could not be read, as of a saved file */
export function etfsOf(impacts: readonly TaskImpact[] | null, text: Words): string {
  if (impacts === null) return note(text('report.impacts.absent'));
  if (impacts.length === 0) return note(text('failures.empty'));
  return impacts.map((impact) => etfsOfTask(impact, text)).join('\n');
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

/**
 * The waiting tenants: for the analyses behind the failed tasks, and for withdrawals. Current values, for a report
 * about any day.
 */
export function tenantsOf({ withdrawals }: ReadFacts, impacts: readonly TaskImpact[] | null, text: Words): string {
  if (impacts === null && withdrawals === undefined) return note(text('report.impacts.absent'));
  const waiting = new Map<
    number,
    { name: string; analyses: number; withdrawn: number; late: number; since: string | null }
  >();
  const of = (tenantId: number, name: string) => {
    const known = waiting.get(tenantId) ?? { name, analyses: 0, withdrawn: 0, late: 0, since: null };
    waiting.set(tenantId, known);
    return known;
  };
  const earlier = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b < a) ? b : a);
  for (const { tenants } of impacts ?? [])
    for (const { tenantId, name, waiting: count, waitingSince } of tenants.items) {
      const tenant = of(tenantId, name);
      // The same analyses may depend on several tasks: the largest count includes them.
      tenant.analyses = Math.max(tenant.analyses, count);
      tenant.since = earlier(tenant.since, waitingSince);
    }
  for (const { tenantId, name, waiting: count, overdue, waitingSince } of withdrawals?.tenants.items ?? []) {
    const tenant = of(tenantId, name);
    tenant.withdrawn = count;
    tenant.late = overdue;
    tenant.since = earlier(tenant.since, waitingSince);
  }
  if (waiting.size === 0) return `<p>${nowMark(text)} ${escape(text('impact.noTenants'))}</p>`;
  return `<p>${nowMark(text)} ${escape(text('impact.tenants.note'))}</p>${tableOf(
    [
      text('field.tenant'),
      text('report.tenants.analyses'),
      text('report.tenants.withdrawals'),
      text('report.tenants.late'),
      text('report.tenants.since'),
    ],
    [...waiting.values()].map(({ name, analyses, withdrawn, late, since }) => [
      escape(name),
      String(analyses),
      String(withdrawn),
      String(late),
      time(since),
    ]),
  )}`;
}
