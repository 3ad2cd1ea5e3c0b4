import type { ReactNode } from 'react';
import { useSearch } from 'wouter';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { useMay } from '../../api/session-context.ts';
import parts from '../../components/parts/parts.module.css';
import { useText } from '../../i18n/use-text.ts';
import { AskInspection } from './ask-inspection.tsx';
import classes from './inspection.module.css';
import { InspectionRequests } from './inspection-requests.tsx';

/** What an inspector asks for: counted first, made in the background, and on record (D174). */
export function InspectionScreen(): ReactNode {
  const text = useText();
  const may = useMay();
  const search = useSearch();
  return (
    <section className={classes['screen']} tabIndex={-1}>
      <h1>{text('nav.inspection')}</h1>
      <p className={parts['quiet']}>{text('inspection.explained')}</p>
      {may('inspection.answer') ? (
        <AskInspection key={search} />
      ) : (
        <p className={parts['quiet']}>{text('inspection.adminOnly')}</p>
      )}
      <Panel level={2} title={text('inspection.requests')}>
        <InspectionRequests />
      </Panel>
    </section>
  );
}
