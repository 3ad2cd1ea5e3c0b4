import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useText } from '../i18n/use-text.ts';
import { analysisPlace, datasetPlace, etfPlace, failurePlace, queuePlace, runPlace } from '../navigation/places.ts';
import type { Verdict } from '../rules/rule.ts';
import classes from './verdicts.module.css';

/** The things that a sentence names, each with its place: the cause first. */
function leadsOf({ values }: Verdict['sentence'], date: string): { name: string; place: string }[] {
  const named = (key: string): string | null => {
    const value = values[key];
    return value === undefined || value === '' ? null : String(value);
  };
  const [run, task, dataset] = [named('run'), named('task'), named('dataset')];
  const [etf, analysis, queue] = [named('etf'), named('analysis'), named('queue')];
  return [
    ...(run !== null && task !== null ? [{ name: task, place: failurePlace(run, task) }] : []),
    ...(run === null ? [] : [{ name: run, place: runPlace(run) }]),
    ...(dataset === null ? [] : [{ name: dataset, place: datasetPlace(date, dataset) }]),
    ...(analysis === null ? [] : [{ name: analysis, place: analysisPlace(analysis) }]),
    ...(etf === null ? [] : [{ name: etf, place: etfPlace(etf) }]),
    ...(queue === null ? [] : [{ name: queue, place: queuePlace(date, queue) }]),
  ];
}

/** The links beside a verdict: to everything that its sentence names. @param date the day of the facts */
export function VerdictLinks({ verdict, date }: { verdict: Verdict; date: string }): ReactNode {
  const text = useText();
  const leads = leadsOf(verdict.sentence, date);
  if (leads.length === 0) return null;
  return (
    <ul className={classes['leads']} aria-label={text('verdict.leads')}>
      {leads.map(({ name, place }) => (
        <li key={place}>
          <Link href={place}>{name}</Link>
        </li>
      ))}
    </ul>
  );
}
