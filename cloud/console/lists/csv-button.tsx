import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { saveFile } from '../../../shared/ui/parts/save-file.ts';
import { useText } from '../i18n/use-text.ts';
import { csvNameOf, csvOf, type CsvColumn, type Pages } from './csv.ts';

export interface CsvButtonProps<Row> {
  /** What the file is named after: the list, and its day where it has one. */
  name: string;
  columns: readonly CsvColumn<Row>[];
  /** All rows, or as many of them as were read; a function reads them from the server. */
  rows: readonly Row[] | Pages<Row> | (() => Promise<Pages<Row>>);
}

/** Saves a list as CSV, with every row of it. */
export function CsvButton<Row>({ name, columns, rows }: CsvButtonProps<Row>): ReactNode {
  const text = useText();
  const notify = useNotify();
  const saving = useMutation({
    mutationFn: async (): Promise<Pages<Row>> => {
      if (typeof rows === 'function') return rows();
      return 'items' in rows ? rows : { items: rows, total: rows.length };
    },
    onSuccess: (read) => {
      const csv = new Blob([csvOf(columns, read.items)], { type: 'text/csv;charset=utf-8' });
      saveFile(csvNameOf(name, read), csv);
    },
    onError: () => notify({ tone: 'bad', glyph: 'warning', message: text('csv.failed') }),
  });
  return (
    <Button size="compact-xs" variant="default" loading={saving.isPending} onClick={() => saving.mutate()}>
      {text('csv.save')}
    </Button>
  );
}
