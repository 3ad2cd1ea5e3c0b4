import { Button, Checkbox } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { useSwitch } from '../../../shared/ui/theme/preferences.ts';
import { KstTime } from '../../../shared/ui/time/times.tsx';
import type { ExplanationDetail, Sample } from '../../../shared/wire/console/console.ts';
import { DigitRadios } from '../../components/actions/digit-radios.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useMay } from '../../api/session-context.ts';

const VERDICTS = ['FINE', 'MISSED'] as const;
type SampleVerdict = (typeof VERDICTS)[number];

export interface SamplePanelProps {
  item: ExplanationDetail;
  sample: Sample;
  /** Goes to the next sample; absent if the explanation is not open among the samples. */
  onNext?: (() => void) | undefined;
}

/** Why an explanation is a sample, and the outcome of its check; a permitted user gives the verdict here. */
export function SamplePanel({ item, sample, onNext }: SamplePanelProps): ReactNode {
  const text = useText();
  const may = useMay();
  const { kind, policyVersion: version, share, outcome, seenBy, seenAt } = sample;
  return (
    <Panel title={text('sample.title')}>
      {seenBy === null ? (
        <p>
          {text('sample.waits', { version, share })} {kind === 'BLOCKED' && text('sample.blocked')}
        </p>
      ) : (
        <p>
          {text('sample.seen', { name: seenBy, outcome: text(`sample.${outcome}`) })} <KstTime at={seenAt} />
        </p>
      )}
      {outcome === 'OPEN' && may('review.sample') && <VerdictForm item={item} onNext={onNext} />}
    </Panel>
  );
}

/** A digit chooses the verdict, a second key sends it. Nothing is preselected. */
function VerdictForm({ item, onNext }: Pick<SamplePanelProps, 'item' | 'onNext'>): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [goToNext, setGoToNext] = useSwitch('go-to-next');
  const [chosen, setChosen] = useState<SampleVerdict | null>(null);
  const [isMissing, setIsMissing] = useState(false);
  const mark = useChange(
    (verdict: SampleVerdict) => api.markSample(item, verdict),
    text('sample.done'),
    () => goToNext && onNext?.(),
  );
  return (
    <OpenForm
      className={parts['form']}
      label={text('sample.title')}
      takesFocus={false}
      onSend={() => {
        setIsMissing(chosen === null);
        if (chosen !== null && !mark.isPending) mark.mutate(chosen);
      }}
    >
      <DigitRadios
        legend={text('sample.verdict')}
        options={VERDICTS}
        labelOf={(verdict) => text(`sample.${verdict}`)}
        chosen={chosen}
        onChoose={setChosen}
      />
      {isMissing && chosen === null && (
        <p className={parts['note']} data-tone="bad" role="alert">
          <Glyph name="warning" /> {text('sample.missing')}
        </p>
      )}
      <ChangeError error={mark.error} />
      <div className={parts['buttons']}>
        <Button type="submit" size="compact-sm" loading={mark.isPending}>
          {text('sample.save')}
        </Button>
        {onNext !== undefined && (
          <Checkbox
            label={text('sample.goToNext')}
            checked={goToNext}
            onChange={(event) => setGoToNext(event.currentTarget.checked)}
          />
        )}
      </div>
    </OpenForm>
  );
}
