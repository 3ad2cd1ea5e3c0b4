import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ranked, type PaletteEntry } from '../../../shared/ui/palette/entries.ts';
import type { FoundProps } from '../../../shared/ui/palette/palette.tsx';
import type { Analysis } from '../../../shared/wire/operator/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { laneNameOf } from '../runs/run-badges.tsx';
import { foundInDay } from './found-in-day.ts';
import { useLaneTasks } from './lane-tasks.ts';
import { analysisPlace, tenantPlace } from '../navigation/places.ts';
import { shownName } from '../verdicts/tenant-name.tsx';

/** The pipeline's names are looked for from so many letters on: the facts of a day are a large answer. */
const LEAST = 2;
/** The most results of each kind. */
const FOUND = 6;

/**
 * For the palette: tenants by name, analyses by ticker, name, text or id, and lanes, runs, tasks and datasets of the latest
 * day by their names.
 */
export function Found({ typed, children }: FoundProps): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { queries } = useOperator();
  const asked = { page: 1, size: FOUND, q: typed };
  const tenants = useQuery({ ...queries.tenants(asked), enabled: typed !== '' }).data;
  const analyses = useQuery({ ...queries.analyses(asked), enabled: typed !== '' }).data;
  const isNamed = typed.length >= LEAST;
  const facts = useQuery({ ...queries.facts(null), enabled: isNamed }).data;
  const overview = useQuery({ ...queries.overview(null), enabled: isNamed }).data;
  const { tasks, read, total } = useLaneTasks(isNamed ? overview?.lanes : undefined);
  if (typed === '') return children([]);
  const lanes = (overview?.lanes ?? []).map(({ lane }) => ({ lane, name: laneNameOf(text, lane) ?? '' }));
  const inDay = isNamed ? foundInDay(facts, lanes, tasks, typed) : [];
  const namesOf = ({ ticker, instrumentName: name }: Analysis) => ({ ticker, name });
  return children([
    ...(tenants?.items ?? []).map((tenant): PaletteEntry => ({
      id: `tenant-${tenant.tenantId}`,
      kind: 'found',
      label: shownName(tenant),
      note: `${text('nav.tenants')} · ${text(`environment.${tenant.environment}`)}`,
      run: () => navigate(tenantPlace(tenant.tenantId, tenant.name)),
    })),
    ...ranked(analyses?.items ?? [], typed, namesOf).map(({ id, ticker, instrumentName, tradeDate }): PaletteEntry => ({
      id: `analysis-${id}`,
      kind: 'found',
      label: `${ticker} ${instrumentName}`,
      note: `${text('nav.analyses')} · ${tradeDate}`,
      run: () => navigate(analysisPlace(id)),
    })),
    ...inDay.map(({ kind, name, of, place }): PaletteEntry => ({
      id: `${kind}-${of}-${name}`,
      kind: 'found',
      label: name,
      note: of === '' ? text(`found.${kind}`) : `${text(`found.${kind}`)} · ${of}`,
      run: () => navigate(place),
    })),
    // A task that is not found among some of the lanes may exist.
    ...(read === total
      ? []
      : [
          {
            id: 'tasks-read',
            kind: 'found' as const,
            label: text('found.tasksRead', { read, total }),
            note: text('nav.runs'),
            run: () => navigate('/runs'),
          },
        ]),
  ]);
}
