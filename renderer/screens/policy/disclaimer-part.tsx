import { Button, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import parts from '../../components/parts/parts.module.css';
import { useMay } from '../../api/session-context.ts';
import classes from './policy.module.css';
import { useUnsentForm } from './unsent-form.ts';
import { PublishChange } from './publish-change.tsx';

const UNTOUCHED = { typed: null };

/** The text published beside every explanation: the locked AI notice, and the firm's own words. */
export function DisclaimerPart(): ReactNode {
  const text = useText();
  const may = useMay();
  const { queries } = useConsole();
  // The typed text outlives a colleague's new version; null until the user types.
  const [{ typed }, keep] = useUnsentForm<{ typed: string | null }>('disclaimer', UNTOUCHED);
  const [pending, setPending] = useState<string | null>(null);
  return (
    <Loaded query={useQuery(queries.editedDisclaimer)}>
      {(disclaimer) => {
        const before = disclaimer.text ?? '';
        const words = typed ?? before;
        return (
          <div
            className={pending === null ? parts['columns'] : classes['beside']}
            data-open={pending !== null || undefined}
          >
            <div>
              <Panel title={text('policy.disclaimer.locked')}>
                <p className={parts['text']} lang="ko">
                  {disclaimer.aiNotice ?? text('policy.none')}
                </p>
                <p className={parts['quiet']}>{text('policy.disclaimer.why')}</p>
              </Panel>
              <Panel title={text('policy.disclaimer.own')}>
                {may('policy.change') ? (
                  <form
                    className={parts['form']}
                    onSubmit={(event) => {
                      event.preventDefault();
                      setPending(words.trim());
                    }}
                  >
                    <Textarea
                      label={text('policy.disclaimer.own')}
                      lang="ko"
                      rows={8}
                      maxLength={5_000}
                      spellCheck={false}
                      value={words}
                      error={words.trim() === '' && typed !== null ? text('policy.disclaimer.missing') : null}
                      onChange={(event) => keep({ typed: event.currentTarget.value })}
                    />
                    <div className={parts['buttons']}>
                      <Button type="submit" disabled={words.trim() === '' || words.trim() === before}>
                        {text('policy.toPreview')}
                      </Button>
                    </div>
                  </form>
                ) : (
                  <>
                    <p className={parts['text']} lang="ko">
                      {disclaimer.text ?? text('policy.none')}
                    </p>
                    <p className={parts['quiet']}>{text('policy.notYourRole')}</p>
                  </>
                )}
              </Panel>
            </div>
            {pending !== null && (
              <PublishChange
                draft={{ disclaimer: pending }}
                isStale={words.trim() !== pending}
                onDone={() => keep(null)}
                onClose={() => setPending(null)}
              />
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
