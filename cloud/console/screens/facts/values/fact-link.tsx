import type { ReactNode } from 'react';
import { Link } from 'wouter';
import {
  datasetPlace,
  datasetTasksPlace,
  etfPlace,
  lanePlace,
  queuePlace,
  runPlace,
} from '../../../navigation/places.ts';
import { axisAt, type AxisId } from './axes.ts';

/** The place of the thing that a fact names; null for one without a place. @param date the day of the facts */
export function placeOfFact(axis: AxisId, field: string, value: unknown, date: string): string | null {
  if (typeof value !== 'string' || value === '') return null;
  switch (`${axis}.${field}`) {
    case 'runs.id':
    case 'tasks.runId':
      return runPlace(value);
    case 'runs.lane':
      return lanePlace(value, date);
    case 'tasks.dataset':
      return datasetPlace(date, value);
    case 'datasets.id':
      return datasetTasksPlace(date, value);
    case 'etfLedger.etf':
      return etfPlace(value);
    case 'queues.name':
      return queuePlace(date, value);
    default:
      return null;
  }
}

/** The name of the row of a fact, with its place; null without one. */
export function namedBy(path: string, owner: unknown, date: string): { name: string; place: string } | null {
  const axis = axisAt(path);
  if (axis === null || typeof owner !== 'object' || owner === null) return null;
  const [field, value] = Object.entries(owner)[0] ?? [];
  const place = field === undefined ? null : placeOfFact(axis, field, value, date);
  return place === null ? null : { name: String(value), place };
}

export function FactLink({ place, children }: { place: string | null; children: ReactNode }): ReactNode {
  return place === null ? children : <Link href={place}>{children}</Link>;
}
