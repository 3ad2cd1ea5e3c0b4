import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useText } from '../i18n/use-text.ts';
import {
  analysisPlace,
  datasetPlace,
  etfPlace,
  failurePlace,
  lanePlace,
  queuePlace,
  runPlace,
  SOURCES_PLACE,
} from '../navigation/places.ts';
import type { Verdict } from '../rules/rule.ts';
import classes from './verdicts.module.css';

/** The named things of a sentence, each with its place: the cause first. */
function leadsOf({ values }: Verdict['sentence'], date: string, isGroup: boolean): { name: string; place: string }[] {
  const named = (key: string): string | null => {
    const value = values[key];
    return value === undefined || value === '' ? null : String(value);
  };
  const [run, task, dataset] = [named('run'), named('task'), named('dataset')];
  const [lane, source] = [named('silentLane'), named('source')];
  const [etf, analysis, queue, name] = [named('etf'), named('analysis'), named('queue'), named('name')];
  return [
    ...(run !== null && task !== null ? [{ name: task, place: failurePlace(run, task) }] : []),
    ...(run === null ? [] : [{ name: run, place: runPlace(run) }]),
    ...(lane === null ? [] : [{ name: lane, place: lanePlace(lane, null) }]),
    ...(source === null ? [] : [{ name: source, place: SOURCES_PLACE }]),
    ...(dataset === null ? [] : [{ name: dataset, place: datasetPlace(date, dataset) }]),
    ...(analysis === null ? [] : [{ name: name ?? analysis, place: analysisPlace(analysis) }]),
    // In a group an analysis stands for its ETF, so that each of the equal verdicts has one link.
    ...(etf === null || (isGroup && analysis !== null)
      ? []
      : [{ name: analysis === null && name !== null ? `${name} ${etf}` : etf, place: etfPlace(etf) }]),
    ...(queue === null ? [] : [{ name: queue, place: queuePlace(date, queue) }]),
  ];
}

/** The most links beside equal verdicts; the rest is counted, and each stands in the group. */
const MOST = 8;

/**
 * The links beside a verdict, or beside a group of equal ones: to everything that their sentences name, the cause first.
 *
 * @param date the day of the facts
 */
export function VerdictLinks({ verdicts, date }: { verdicts: readonly Verdict[]; date: string }): ReactNode {
  const text = useText();
  const all = verdicts.flatMap(({ sentence }) => leadsOf(sentence, date, verdicts.length > 1));
  // Runs of a group fail at the same task, so the link of the first leads to the cause.
  const leads = all.filter(({ name }, index) => all.findIndex((other) => other.name === name) === index);
  if (leads.length === 0) return null;
  return (
    <ul className={classes['leads']} aria-label={text('verdict.leads')}>
      {leads.slice(0, MOST).map(({ name, place }) => (
        <li key={place}>
          <Link href={place}>{name}</Link>
        </li>
      ))}
      {leads.length > MOST && <li>{text('withdrawals.more', { count: leads.length - MOST })}</li>}
    </ul>
  );
}
