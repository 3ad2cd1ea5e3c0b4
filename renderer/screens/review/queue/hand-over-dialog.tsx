import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, type ReactNode } from 'react';
import { Dialog } from '../../../../shared/ui/parts/dialog.tsx';
import type { ReviewItem } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useProfile } from '../../../api/session-context.ts';
import { useDigits } from '../../../components/actions/use-digits.ts';
import { ChangeError } from '../../../components/parts/change-error.tsx';
import { useChange } from '../../../components/parts/use-change.ts';
import { useText } from '../../../i18n/use-text.ts';
import classes from '../item/review.module.css';
import { recipientsOf } from './recipients.ts';

/** A display name; null: any other reviewer. */
type Recipient = string | null;

interface HandOverProps {
  item: Pick<ReviewItem, 'id' | 'etf_ticker' | 'etf_name'>;
  onClose: () => void;
  /** Called once the item is handed over. */
  onHandedOver: () => void;
}

/** Hands the open item over: a click, or the digit of a person. */
export function HandOverDialog({ item, onClose, onHandedOver }: HandOverProps): ReactNode {
  const text = useText();
  return (
    <Dialog opened title={text('handOver.title', { item: `${item.etf_ticker} ${item.etf_name}` })} onClose={onClose}>
      <Recipients item={item} onClose={onClose} onHandedOver={onHandedOver} />
    </Dialog>
  );
}

function Recipients({ item, onClose, onHandedOver }: HandOverProps): ReactNode {
  const text = useText();
  const { api, queries } = useConsole();
  const { displayName } = useProfile();
  const place = useRef<HTMLDivElement>(null);
  const detail = useQuery(queries.reviewItem(item.id)).data;
  const timeline = useInfiniteQuery(queries.timeline(item.id)).data;
  const names =
    detail === undefined ? [] : recipientsOf(detail, timeline?.pages.flatMap(({ items }) => items) ?? [], displayName);
  const choices: readonly Recipient[] = [null, ...names];
  const change = useChange(
    (to: Recipient) => api.handOver(item.id, to),
    null,
    () => {
      onClose();
      onHandedOver();
    },
  );
  const choose = (to: Recipient): void => {
    if (!change.isPending) change.mutate(to);
  };
  const digitOf = useDigits(choices, place, choose);
  return (
    <div ref={place} className={classes['postpone']} data-digits>
      {choices.map((to, index) => {
        const digit = digitOf(index);
        return (
          <Button
            key={index}
            variant="default"
            justify="flex-start"
            loading={change.isPending && change.variables === to}
            aria-keyshortcuts={digit ?? undefined}
            leftSection={digit !== null && <kbd aria-hidden="true">{digit}</kbd>}
            onClick={() => choose(to)}
          >
            {to ?? text('handOver.anybody')}
          </Button>
        );
      })}
      <p className={classes['quiet']}>{text('handOver.note')}</p>
      <ChangeError error={change.error} />
    </div>
  );
}
