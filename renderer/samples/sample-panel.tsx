import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../shared/ui/time/times.tsx';
import type { ExplanationDetail, Sample } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import { useMay } from '../session/session-context.ts';

/** Why an explanation is a sample, and what came of the look at it; whoever may gives the verdict here. */
export function SamplePanel({ item, sample }: { item: ExplanationDetail; sample: Sample }): ReactNode {
  const text = useText();
  const may = useMay();
  const { api } = useConsole();
  const mark = useChange((outcome: 'FINE' | 'MISSED') => api.markSample(item, outcome), text('sample.done'));
  const { policyVersion: version, share, outcome, seenBy, seenAt } = sample;
  return (
    <Panel title={text('sample.title')}>
      {seenBy === null ? (
        <p>{text('sample.waits', { version, share })}</p>
      ) : (
        <p>
          {text('sample.seen', { name: seenBy, outcome: text(`sample.${outcome}`) })} <KstTime at={seenAt} />
        </p>
      )}
      {outcome === 'OPEN' && may('review.sample') && (
        <div className={parts['buttons']}>
          <Button size="compact-sm" loading={mark.isPending} onClick={() => mark.mutate('FINE')}>
            {text('sample.markFine')}
          </Button>
          <Button variant="default" size="compact-sm" loading={mark.isPending} onClick={() => mark.mutate('MISSED')}>
            {text('sample.markMissed')}
          </Button>
        </div>
      )}
      <ChangeError error={mark.error} />
    </Panel>
  );
}
