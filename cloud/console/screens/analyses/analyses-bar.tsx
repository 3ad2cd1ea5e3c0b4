import { NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { FilterBar } from '../../../../shared/ui/list/list-screen.tsx';
import { SearchField } from '../../../../shared/ui/parts/search-field.tsx';
import { ANALYSIS_STATUSES, PUBLICATION_STATES } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { isNarrowed, type AnalysisFilter } from './analysis-filter.ts';

export interface AnalysesBarProps {
  filter: AnalysisFilter;
  onChange: (changes: Partial<AnalysisFilter>) => void;
  onReset: () => void;
}

/** Instrument search, market, publication state and analysis status. */
export function AnalysesBar({ filter, onChange, onReset }: AnalysesBarProps): ReactNode {
  const text = useText();
  return (
    <FilterBar isNarrowed={isNarrowed(filter)} onReset={onReset}>
      <SearchField value={filter.q} label={text('filter.search')} onChange={(q) => onChange({ q })} />
      <SearchField value={filter.market} label={text('filter.market')} onChange={(market) => onChange({ market })} />
      <NativeSelect
        aria-label={text('filter.publicationState')}
        value={filter.publicationState ?? ''}
        data={[
          { value: '', label: text('filter.publicationState.all') },
          ...PUBLICATION_STATES.map((state) => ({ value: state, label: text(`publication.${state}`) })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ publicationState: PUBLICATION_STATES.find((state) => state === value) ?? null })
        }
      />
      <NativeSelect
        aria-label={text('filter.status')}
        value={filter.status ?? ''}
        data={[
          { value: '', label: text('filter.status.all') },
          ...ANALYSIS_STATUSES.map((status) => ({ value: status, label: text(`analysisStatus.${status}`) })),
        ]}
        onChange={({ currentTarget: { value } }) =>
          onChange({ status: ANALYSIS_STATUSES.find((status) => status === value) ?? null })
        }
      />
    </FilterBar>
  );
}
