import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { AuditCheckpoint } from '../../../shared/wire/console/audit.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';

/**
 * Where signed checkpoints of the log are kept, since when writing fails, and whether the log differs from one (D19).
 */
export function CheckpointState(): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  return (
    <Panel title={text('audit.checkpoint')}>
      <Loaded query={useQuery(queries.auditCheckpoint)}>{(state) => <State state={state} />}</Loaded>
    </Panel>
  );
}

function State({ state: { place, lastAt, rows, failingSince, difference } }: { state: AuditCheckpoint }): ReactNode {
  const text = useText();
  if (place === null) return <p className={parts['quiet']}>{text('audit.checkpoint.off')}</p>;
  return (
    <>
      {difference !== null && (
        <Note tone={difference.kind === 'FORKED' ? 'wait' : 'bad'} at={difference.restoredAt ?? difference.signedAt}>
          {text(`audit.checkpoint.${difference.kind}`, { from: difference.from, to: difference.to })}
        </Note>
      )}
      {failingSince !== null && (
        <Note tone="bad" at={failingSince}>
          {text('audit.checkpoint.failing')}
        </Note>
      )}
      {lastAt === null || rows === null ? (
        <p className={parts['quiet']}>{text('audit.checkpoint.none', { place })}</p>
      ) : (
        <p className={parts['quiet']}>
          {text('audit.checkpoint.last', { place, rows })} <KstTime at={lastAt} precision="second" />
        </p>
      )}
    </>
  );
}

function Note({ tone, at, children }: { tone: 'bad' | 'wait'; at: string; children: string }): ReactNode {
  return (
    <p className={parts['note']} data-tone={tone} role="alert">
      <Glyph name="warning" />
      <span>
        {children} <KstTime at={at} precision="second" />
      </span>
    </p>
  );
}
