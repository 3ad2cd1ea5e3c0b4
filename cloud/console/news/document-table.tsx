import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { webLink } from '../../../shared/ui/evidence/evidence.ts';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { KstShortTime } from '../../../shared/ui/time/times.tsx';
import type { NewsLineage } from '../../../shared/wire/operator.ts';
import { useText } from '../i18n/use-text.ts';
import classes from '../runs/runs.module.css';

/** Evidence documents with their press and their source. */
export function DocumentTable({ documents }: { documents: NewsLineage['documents']['items'] }): ReactNode {
  const text = useText();
  return (
    <table className={classes['facts']} aria-label={text('news.table')}>
      <thead>
        <tr>
          <th scope="col">{text('news.collectedZone')}</th>
          <th scope="col">{text('news.stage')}</th>
          <th scope="col">{text('news.press')}</th>
          <th scope="col">{text('news.document')}</th>
          <th scope="col">{text('news.publishedZone')}</th>
        </tr>
      </thead>
      <tbody>
        {documents.map(({ documentId, stage, title, source, sourceUri, publishedAt, collectedAt }) => {
          const link = webLink(sourceUri);
          const name = title ?? text('evidence.untitled');
          return (
            <tr key={documentId}>
              <td>
                <KstShortTime at={collectedAt} />
              </td>
              <td>{text(`newsStage.${stage}`)}</td>
              <td>{source}</td>
              <th scope="row" className={classes['wide']}>
                {link === null ? (
                  <>
                    {name} <span className={classes['quiet']}>{text('evidence.noLink')}</span>
                  </>
                ) : (
                  <a href={link} target="_blank" rel="noopener noreferrer">
                    {name} <Glyph name="external" size={10} />
                    <VisuallyHidden> ({text('evidence.newWindow')})</VisuallyHidden>
                  </a>
                )}
              </th>
              <td>
                <KstShortTime at={publishedAt} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
