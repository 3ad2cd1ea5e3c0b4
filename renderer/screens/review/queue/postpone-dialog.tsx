import { Button } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { Dialog } from '../../../../shared/ui/parts/dialog.tsx';
import { POSTPONEMENTS, type Postponement, type ReviewItem } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useDigits } from '../../../components/actions/use-digits.ts';
import { ChangeError } from '../../../components/parts/change-error.tsx';
import { useChange } from '../../../components/parts/use-change.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../item/review.module.css';

/** `NONE` ends a postponement. */
type Choice = Postponement | 'NONE';

interface PostponeProps {
  item: Pick<ReviewItem, 'id' | 'postponedUntil' | 'etf_ticker' | 'etf_name'>;
  onClose: () => void;
  /** Called once the item is put off. */
  onPostponed: () => void;
}

/** Puts the open item off, for this reviewer alone: a click, or the digit of a time. */
export function PostponeDialog({ item, onClose, onPostponed }: PostponeProps): ReactNode {
  const text = useText();
  return (
    <Dialog opened title={text('postpone.title', { item: `${item.etf_ticker} ${item.etf_name}` })} onClose={onClose}>
      <Choices item={item} onClose={onClose} onPostponed={onPostponed} />
    </Dialog>
  );
}

function Choices({ item, onClose, onPostponed }: PostponeProps): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const place = useRef<HTMLDivElement>(null);
  const choices: readonly Choice[] = item.postponedUntil === null ? POSTPONEMENTS : [...POSTPONEMENTS, 'NONE'];
  const change = useChange(
    (choice: Choice) => (choice === 'NONE' ? api.resume(item.id) : api.postpone(item.id, choice)),
    null,
  );
  const choose = (choice: Choice): void => {
    if (change.isPending) return;
    change.mutate(choice, {
      onSuccess: () => {
        onClose();
        if (choice !== 'NONE') onPostponed();
      },
    });
  };
  const digitOf = useDigits(choices, place, choose);
  return (
    <div ref={place} className={classes['postpone']} data-digits>
      {choices.map((choice, index) => {
        const digit = digitOf(index);
        return (
          <Button
            key={choice}
            variant="default"
            justify="flex-start"
            loading={change.isPending && change.variables === choice}
            aria-keyshortcuts={digit ?? undefined}
            leftSection={digit !== null && <kbd aria-hidden="true">{digit}</kbd>}
            onClick={() => choose(choice)}
          >
            {text(`postpone.${choice}`)}
          </Button>
        );
      })}
      <p className={classes['quiet']}>{text('postpone.note')}</p>
      <ChangeError error={change.error} />
    </div>
  );
}
