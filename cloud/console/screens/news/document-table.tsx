import type { ReactNode } from 'react';
import { webLink } from '../../../../shared/evidence/evidence.ts';
import { OriginalLink } from '../../../../shared/ui/evidence/original-link.tsx';
import { DataTable } from '../../../../shared/ui/table/data-table.tsx';
import { KstShortTime } from '../../../../shared/ui/time/times.tsx';
import type { NewsLineage } from '../../../../shared/wire/operator/operator.ts';
import { useText } from '../../i18n/use-text.ts';
import { LongText } from '../../runs/long-text.tsx';
import classes from '../../runs/runs.module.css';

type Document = NewsLineage['documents']['items'][number];

/** Evidence documents with their press and their source. */
export function DocumentTable({ documents }: { documents: readonly Document[] }): ReactNode {
  const text = useText();
  return (
    <DataTable
      isScreen
      label={text('news.table')}
      rows={documents}
      idOf={({ documentId }) => documentId}
      columns={[
        {
          id: 'collected',
          head: text('news.collectedZone'),
          render: ({ collectedAt }) => <KstShortTime at={collectedAt} />,
        },
        { id: 'stage', head: text('news.stage'), kind: 'short', render: ({ stage }) => text(`newsStage.${stage}`) },
        { id: 'press', head: text('news.press'), kind: 'short', render: ({ source }) => source },
        { id: 'document', head: text('news.document'), kind: 'name', render: (one) => <DocumentName document={one} /> },
        {
          id: 'published',
          head: text('news.publishedZone'),
          render: ({ publishedAt }) => <KstShortTime at={publishedAt} />,
        },
      ]}
    />
  );
}

/** Its title, which leads to its source where that can be followed. */
function DocumentName({ document: { title, sourceUri } }: { document: Document }): ReactNode {
  const text = useText();
  const link = webLink(sourceUri);
  const name = title ?? text('evidence.untitled');
  if (link === null) {
    return (
      <>
        <LongText>{name}</LongText> <span className={classes['quiet']}>{text('evidence.noLink')}</span>
      </>
    );
  }
  return (
    <LongText>
      <OriginalLink to={link}>{name}</OriginalLink>
    </LongText>
  );
}
