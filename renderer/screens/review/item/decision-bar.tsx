import { Button, Checkbox, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { TakesKeys, useRest } from '../../../../shared/ui/keys/takes-keys.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { useSwitch } from '../../../../shared/ui/theme/preferences.ts';
import { ACTION_RULES, DECISIONS } from '../../../components/actions/actions.ts';
import { carriedBy, type DraftHandle } from '../../../components/actions/use-draft.ts';
import type { ReviewDetail } from '../../../../shared/wire/console/console.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from './review.module.css';
import { useKeys } from './use-keys.ts';

type Decision = (typeof DECISIONS)[number];

/** The meaning of a decision key for an item: approval means the edit that the item carries, if it has one. */
export function meantBy(decision: Decision, item: ReviewDetail): Decision | 'approve-carried' {
  return decision === 'approve' && carriedBy(item) !== null ? 'approve-carried' : decision;
}

/** What the button says: a second approval, and another edit of a text that waits for it, are named as such. */
function wordsOf(action: ReturnType<typeof meantBy>, { waitingEdit }: ReviewDetail) {
  if (waitingEdit !== null && action === 'approve-carried') return 'fourEyes.approve';
  if (waitingEdit !== null && action === 'approve-edited') return 'fourEyes.editAgain';
  return `action.${action}.confirm` as const;
}

/** The sentence about the second person, which describes a button that waits for that person. */
export const SECOND_PERSON_ID = 'second-person';

/** Whether an action would be the second approval of the caller's own words, which the API refuses (D62). */
export function needsAnother(action: ReturnType<typeof meantBy>, { waitingEdit }: ReviewDetail): boolean {
  return action === 'approve-carried' && waitingEdit?.mine === true;
}

export interface DecisionBarProps {
  item: ReviewDetail;
  handle: DraftHandle;
  /** Whether the keys act on the open item. */
  hasKeys: boolean;
  onHelp: () => void;
  /** Opens the choice of a later time; absent without a queue. */
  onLater?: (() => void) | undefined;
  /** Opens the choice of another reviewer; absent without a queue. */
  onHandOver?: (() => void) | undefined;
}

/** The four decisions, each with its key, while no form of theirs is open. */
export function DecisionBar({ item, handle, hasKeys, onHelp, onLater, onHandOver }: DecisionBarProps): ReactNode {
  const text = useText();
  const { isOn, shownCapOf } = useKeys();
  const isAwake = useRest() === 'none' && hasKeys && isOn;
  const [goToNext, setGoToNext] = useSwitch('go-to-next');
  const begun = handle.draft?.action ?? ((item.draft?.text ?? null) === null ? null : 'approve-edited');
  return (
    <div
      className={classes['decisions']}
      role="group"
      aria-label={text('review.decisions')}
      data-keys={isAwake ? 'awake' : 'rest'}
    >
      {DECISIONS.map((decision) => {
        const action = meantBy(decision, item);
        const cap = shownCapOf(decision);
        const isRefused = needsAnother(action, item);
        return (
          <Button
            key={decision}
            variant={decision === 'approve' ? 'filled' : 'default'}
            leftSection={
              <span data-tone={ACTION_RULES[action].tone} className={classes['sign']}>
                <Glyph name={ACTION_RULES[action].glyph} />
              </span>
            }
            rightSection={cap !== undefined && <kbd aria-hidden="true">{cap}</kbd>}
            aria-keyshortcuts={cap}
            disabled={isRefused}
            aria-describedby={isRefused ? SECOND_PERSON_ID : undefined}
            onClick={() => handle.open(action)}
          >
            {text(wordsOf(action, item))}
          </Button>
        );
      })}
      {carriedBy(item) !== null && (
        <Menu withinPortal position="top-start" returnFocus={false}>
          <Menu.Target>
            <Button variant="subtle" color="gray">
              {text('review.otherDecisions')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <TakesKeys kind="dialog" />
            <Menu.Item onClick={() => handle.open('approve')}>{text('action.approve.received')}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {(
        [
          ['later', 'postpone.open', onLater],
          ['hand-over', 'handOver.open', onHandOver],
        ] as const
      ).map(([key, label, onOpen]) => {
        const cap = shownCapOf(key);
        return (
          onOpen !== undefined && (
            <Button
              key={key}
              variant="subtle"
              color="gray"
              rightSection={cap !== undefined && <kbd aria-hidden="true">{cap}</kbd>}
              aria-keyshortcuts={cap}
              onClick={onOpen}
            >
              {text(label)}
            </Button>
          )
        );
      })}
      {begun !== null && (
        <span className={classes['quiet']}>
          {text('review.draftWaits', { action: text(`action.${begun}.confirm`) })}
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
