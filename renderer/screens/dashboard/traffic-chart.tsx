import type { ReactNode } from 'react';
import { kstText } from '../../../shared/ui/time/format.ts';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { Traffic } from '../../../shared/wire/console/console.ts';
import { useText } from '../../i18n/use-text.ts';
import { BarChart } from './bar-chart.tsx';

const HOURS_PER_LABEL = 3;

/** Bars for the last 24 hours, a stepped line for the 24 before, errors as the hatched part of a bar. */
export function TrafficChart({ traffic }: { traffic: Traffic }): ReactNode {
  const text = useText();
  const { hours, requests, errors, dayBefore } = traffic;
  return (
    <BarChart
      label={text('traffic.chart', { requests, errors, before: dayBefore.requests })}
      bars={hours.map((hour, index) => ({
        key: hour.at,
        label: index % HOURS_PER_LABEL === 0 ? (kstText(hour.at)?.slice(11, 16) ?? null) : null,
        count: hour.requests,
        part: hour.errors,
        before: hour.dayBefore.requests,
      }))}
    >
      <KstTime at={traffic.from} /> – <KstTime at={traffic.to} /> · {text('traffic.legend')}
    </BarChart>
  );
}
