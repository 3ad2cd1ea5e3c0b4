import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import { useText } from '../i18n/use-text.ts';
import { csvOf, type CsvColumn, type Pages } from './csv.ts';

export interface CsvButtonProps<Row> {
  /** What the file is named after: the list, and its day where it has one. */
  name: string;
  columns: readonly CsvColumn<Row>[];
  /** All rows; a function reads them from the server. */
  rows: readonly Row[] | (() => Promise<Pages<Row>>);
}

/** Saves a list as CSV, with every row of it. */
export function CsvButton<Row>({ name, columns, rows }: CsvButtonProps<Row>): ReactNode {
  const text = useText();
  const notify = useNotify();
  const saving = useMutation({
    mutationFn: async () => (typeof rows === 'function' ? rows() : { items: rows, total: rows.length }),
    onSuccess: ({ items, total }) => {
      const cut = items.length < total ? `-${items.length}-of-${total}` : '';
      saveFile(`causeway-${name}${cut}.csv`, new Blob([csvOf(columns, items)], { type: 'text/csv;charset=utf-8' }));
    },
    onError: () => notify({ tone: 'bad', glyph: 'warning', message: text('csv.failed') }),
  });
  return (
    <Button size="compact-xs" variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
      {text('csv.save')}
    </Button>
  );
}
