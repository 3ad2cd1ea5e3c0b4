import { Button, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRest } from '../../shared/ui/keys/takes-keys.tsx';
import { Glyph } from '../../shared/ui/parts/glyphs.tsx';
import { useSwitch } from '../../shared/ui/preferences.ts';
import { ACTION_RULES, DECISIONS } from '../actions/actions.ts';
import type { DraftHandle } from '../actions/use-draft.ts';
import { useText } from '../i18n/use-text.ts';
import classes from './review.module.css';

const CAPS = { approve: 'A', 'approve-edited': 'E', reject: 'R', block: 'B' } as const;

/** The four decisions, each with its key, while none of their forms is open. */
export function DecisionBar({
  handle,
  hasKeys,
  onHelp,
}: {
  handle: DraftHandle;
  /** Whether the keys act on what is open. */
  hasKeys: boolean;
  onHelp: () => void;
}): ReactNode {
  const text = useText();
  const [shortcuts] = useSwitch('shortcuts');
  const isAwake = useRest() === 'none' && hasKeys;
  const [goToNext, setGoToNext] = useSwitch('go-to-next');
  const waitingDraft = handle.draft;
  return (
    <div
      className={classes['decisions']}
      role="group"
      aria-label={text('review.decisions')}
      data-keys={isAwake ? 'awake' : 'rest'}
    >
      {DECISIONS.map((decision) => (
        <Button
          key={decision}
          variant={decision === 'approve' ? 'filled' : 'default'}
          leftSection={
            <span data-tone={ACTION_RULES[decision].tone} className={classes['sign']}>
              <Glyph name={ACTION_RULES[decision].glyph} />
            </span>
          }
          rightSection={shortcuts ? <kbd aria-hidden="true">{CAPS[decision]}</kbd> : undefined}
          aria-keyshortcuts={shortcuts ? CAPS[decision] : undefined}
          onClick={() => handle.open(decision)}
        >
          {text(`action.${decision}.confirm`)}
        </Button>
      ))}
      {waitingDraft !== null && (
        <span className={classes['quiet']}>
          {text('review.draftWaits', { action: text(`action.${waitingDraft.action}.confirm`) })}
        </span>
      )}
      <span className={classes['barEnd']}>
        <Checkbox
          label={text('review.goToNext')}
          checked={goToNext}
          onChange={(event) => setGoToNext(event.currentTarget.checked)}
        />
        <Button variant="subtle" color="gray" onClick={onHelp}>
          {text('keys.open')}
        </Button>
      </span>
    </div>
  );
}
