import { TextInput } from '@mantine/core';
import { useRef, useState, type ReactNode } from 'react';
import type { Preview } from '../../../shared/wire/console/console.ts';
import { useConsole } from '../../api/console-context.tsx';
import { ChangeError } from '../../components/parts/change-error.tsx';
import { ConfirmButton } from '../../components/parts/confirm-button.tsx';
import { useChange } from '../../components/parts/use-change.ts';
import { useText } from '../../i18n/use-text.ts';
import classes from './policy.module.css';
import { EffectGroupView } from './preview-groups.tsx';

type Freed = Preview['freedBlocks']['items'][number];

/**
 * Blocks of the screening that the change would not make. A new version frees none of them (D16): the reviewer sends
 * each to review from here, with a reason (D209).
 */
export function FreedBlocks({ preview }: { preview: Preview }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [reason, setReason] = useState('');
  const [isUnreasoned, setIsUnreasoned] = useState(false);
  const [sent, setSent] = useState<ReadonlySet<string>>(new Set());
  const field = useRef<HTMLInputElement>(null);
  const unblock = useChange(async (item: Freed) => {
    await api.unblock(item, reason.trim());
    setSent((before) => new Set(before).add(item.id));
  }, text('policy.preview.unblocked'));
  return (
    <EffectGroupView
      group="freedBlocks"
      preview={preview}
      say={({ before, after }) => `${text(`status.${before}`)} → ${text(`status.${after}`)}`}
      renderBefore={(item) =>
        sent.has(item.id) ? (
          <span className={classes['quiet']}>{text('policy.preview.unblocked')} </span>
        ) : (
          <ConfirmButton
            label={text('action.unblock.confirm')}
            isDestructive={false}
            named={`${item.etf_ticker} ${item.etf_name}: ${text('action.unblock.confirm')}`}
            isBusy={unblock.isPending && unblock.variables.id === item.id}
            onConfirm={() => {
              const isMissing = reason.trim() === '';
              setIsUnreasoned(isMissing);
              if (isMissing) field.current?.focus();
              else if (!unblock.isPending) unblock.mutate(item);
            }}
          />
        )
      }
    >
      <p className={classes['quiet']}>{text('policy.preview.stillBlocked')}</p>
      <TextInput
        ref={field}
        label={text('action.note.reason.required')}
        value={reason}
        maxLength={2_000}
        error={isUnreasoned && reason.trim() === '' && text('problem.note')}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      <ChangeError error={unblock.error} />
    </EffectGroupView>
  );
}
