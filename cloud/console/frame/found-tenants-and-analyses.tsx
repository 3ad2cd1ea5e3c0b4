import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { ranked, type PaletteEntry } from '../../../shared/ui/palette/entries.ts';
import type { FoundProps } from '../../../shared/ui/palette/palette.tsx';
import type { Analysis } from '../../../shared/wire/operator/operator.ts';
import { useOperator } from '../api/operator-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { analysisPlace, tenantPlace } from '../navigation/places.ts';
import { shownName } from '../screens/tenants/tenant-name.tsx';

/** The most results of each kind. */
const FOUND = 6;

/** Tenants, by name or id, and analyses, by ticker, name or text, for the palette. */
export function FoundTenantsAndAnalyses({ typed, children }: FoundProps): ReactNode {
  const text = useText();
  const [, navigate] = useLocation();
  const { queries } = useOperator();
  const asked = { page: 1, size: FOUND, q: typed };
  const tenants = useQuery({ ...queries.tenants(asked), enabled: typed !== '' }).data;
  const analyses = useQuery({ ...queries.analyses(asked), enabled: typed !== '' }).data;
  if (typed === '') return children([]);
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
  ]);
}
