import type { ReactNode } from 'react';
import { EmptyState, ErrorState, LoadingState } from '../../../shared/ui/parts/data-state.tsx';
import { BoardTable, type BoardTableProps } from './board-table.tsx';

/** A list of explanations in any state: loading, failed, empty, or its table. */
export function BoardList({ empty, ...table }: Omit<BoardTableProps, 'total'> & { empty: string }): ReactNode {
  const { total, failed } = table.window;
  if (total === null)
    return failed === null ? (
      <LoadingState />
    ) : (
      <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />
    );
  return total === 0 ? <EmptyState title={empty} /> : <BoardTable {...table} total={total} />;
}
