import { Button, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Loaded } from '../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../shared/ui/parts/panel.tsx';
import { DiffView } from '../../shared/ui/text/diff-view.tsx';
import type { Disclaimer } from '../../shared/wire/console.ts';
import { useConsole } from '../api/console-context.tsx';
import { useText } from '../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';
import { useNeedsTwo } from '../parts/use-needs-two.ts';
import { useMay } from '../session/session-context.ts';

/** What goes out beside every text: the locked notice of an AI, and the firm's own words. */
export function DisclaimerPart(): ReactNode {
  const { queries } = useConsole();
  return (
    <Loaded query={useQuery(queries.disclaimer)}>
      {(disclaimer) => <DisclaimerForm key={disclaimer.policyVersion} disclaimer={disclaimer} />}
    </Loaded>
  );
}

function DisclaimerForm({ disclaimer }: { disclaimer: Disclaimer }): ReactNode {
  const text = useText();
  const may = useMay();
  const { api } = useConsole();
  const before = disclaimer.text ?? '';
  const [words, setWords] = useState(before);
  const proposes = useNeedsTwo();
  const change = useChange(
    (next: string) =>
      // Where there is a policy that wants two people, there is a version of it.
      proposes && disclaimer.policyVersion !== null
        ? api.proposePolicy({ disclaimer: next }, disclaimer.policyVersion)
        : api.changeDisclaimer(next, disclaimer.policyVersion),
    text(proposes ? 'proposal.done' : 'policy.published'),
  );
  const mayChange = may('policy.change');
  return (
    <div className={parts['columns']}>
      <Panel title={text('policy.disclaimer.locked')}>
        <p className={parts['text']} lang="ko">
          {disclaimer.aiNotice ?? text('policy.none')}
        </p>
        <p className={parts['quiet']}>{text('policy.disclaimer.why')}</p>
      </Panel>
      <Panel title={text('policy.disclaimer.own')}>
        {mayChange ? (
          <form
            className={parts['form']}
            onSubmit={(event) => {
              event.preventDefault();
              change.mutate(words.trim());
            }}
          >
            <Textarea
              label={text('policy.disclaimer.own')}
              lang="ko"
              rows={8}
              maxLength={5_000}
              spellCheck={false}
              value={words}
              onChange={(event) => setWords(event.currentTarget.value)}
            />
            {words !== before && <DiffView before={before} after={words} />}
            <ChangeError error={change.error} />
            <div className={parts['buttons']}>
              <Button
                type="submit"
                loading={change.isPending}
                disabled={words.trim() === '' || words.trim() === before}
              >
                {text(proposes ? 'proposal.make' : 'policy.publish')}
              </Button>
              <span className={parts['quiet']}>{text(proposes ? 'proposal.note' : 'policy.publish.note')}</span>
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
  );
}
