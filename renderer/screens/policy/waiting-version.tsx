import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { kstText } from '../../../shared/ui/time/format.ts';
import type { WaitingVersion } from '../../../shared/wire/console/policy.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useMay } from '../../api/session-context.ts';
import { ChangeError } from '../../components/parts/change-error.tsx';
import parts from '../../components/parts/parts.module.css';
import { useChange } from '../../components/parts/use-change.ts';
import { useText } from '../../i18n/use-text.ts';
import { PublishChange } from './publish-change.tsx';

/** The version that waits for its start (D212), which this screen shows and changes; nothing where none waits. */
export function WaitingNote(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  const policy = useQuery(queries.policy).data;
  const [opened, setOpened] = useState<'cancel' | 'move' | null>(null);
  const waiting = policy?.waiting ?? null;
  if (policy === undefined || waiting === null) return null;
  const { policyVersion: version, startsAt, author, mine } = waiting;
  return (
    <>
      <aside className={parts['note']} data-tone="wait" data-waiting={version}>
        <Glyph name="waiting" />
        <div>
          <strong>
            {text('start.waiting', { version, at: text('time.kst', { time: kstText(startsAt, 'minute') ?? '' }) })}
          </strong>
          <p>{text('start.waiting.what', { author, active: policy.policyVersion ?? 0 })}</p>
          {may('policy.change') && (
            <div className={parts['buttons']}>
              <Button variant="default" size="compact-xs" onClick={() => setOpened('move')}>
                {text('start.move')}
              </Button>
              {mine ? (
                <span className={parts['quiet']}>{text('start.mine')}</span>
              ) : (
                <Button variant="default" size="compact-xs" onClick={() => setOpened('cancel')}>
                  {text('start.cancel')}
                </Button>
              )}
            </div>
          )}
          {opened === 'cancel' && !mine && (
            <CancelForm key={version} waiting={waiting} onClose={() => setOpened(null)} />
          )}
        </div>
      </aside>
      {opened === 'move' && <PublishChange key={version} draft={UNCHANGED} onClose={() => setOpened(null)} />}
    </>
  );
}

/** Only the start is another. */
const UNCHANGED = {};

function CancelForm({ waiting, onClose }: { waiting: WaitingVersion; onClose: () => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [reason, setReason] = useState('');
  const [isRefused, setIsRefused] = useState(false);
  const cancel = useChange(
    (why: string) => api.cancelPolicyStart(waiting.policyVersion, why),
    text('start.cancelled'),
    onClose,
  );
  return (
    <form
      className={parts['form']}
      aria-label={text('start.cancel')}
      onSubmit={(event) => {
        event.preventDefault();
        setIsRefused(reason.trim() === '');
        if (reason.trim() !== '') cancel.mutate(reason.trim());
      }}
    >
      <TextInput
        label={text('start.cancel.reason')}
        value={reason}
        maxLength={2_000}
        data-autofocus
        error={isRefused && reason.trim() === '' && text('start.cancel.missing')}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <ChangeError error={cancel.error} />
      <div className={parts['buttons']}>
        <Button type="submit" loading={cancel.isPending}>
          {text('start.cancel')}
        </Button>
        <Button variant="default" onClick={onClose}>
          {text('start.cancel.close')}
        </Button>
      </div>
    </form>
  );
}
