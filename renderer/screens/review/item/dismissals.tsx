import { Button, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { OpenForm } from '../../../../shared/ui/parts/open-form.tsx';
import type { ReviewDetail } from '../../../../shared/wire/console/console.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { ChangeError } from '../../../components/parts/change-error.tsx';
import parts from '../../../components/parts/parts.module.css';
import { useChange } from '../../../components/parts/use-change.ts';
import { useMay } from '../../../api/session-context.ts';
import type { NumberedHit } from '../../../components/texts/marked-text.tsx';

/** Hits that are false in this text, with reasons; a deciding reviewer dismisses them one by one. */
export function Dismissals({ item, hits }: { item: ReviewDetail; hits: readonly NumberedHit[] }): ReactNode {
  const text = useText();
  const may = useMay();
  const words = [...new Map(hits.map(({ wordId, word }) => [wordId, word])).entries()];
  return (
    <ul>
      {words.map(([wordId, word]) => {
        const told = item.dismissed.find((one) => one.wordId === wordId);
        if (told !== undefined)
          return (
            <li key={wordId} className={parts['quiet']}>
              {text('dismiss.told', { word, reason: told.reason, name: told.displayName })}
            </li>
          );
        return may('review.decide') && <DismissForm key={wordId} item={item} wordId={wordId} word={word} />;
      })}
    </ul>
  );
}

function DismissForm({ item, wordId, word }: { item: ReviewDetail; wordId: string; word: string }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [isOpen, setIsOpen] = useState(false);
  const [reason, setReason] = useState('');
  const change = useChange((why: string) => api.dismissHit(item, wordId, why), text('dismiss.done'));
  if (!isOpen)
    return (
      <li>
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setIsOpen(true)}>
          <span>
            <span>
              {text('dismiss.open')}: <span lang="ko">{word}</span>
            </span>
          </span>
        </Button>
      </li>
    );
  return (
    <li>
      <OpenForm
        className={parts['form']}
        label={`${text('dismiss.open')}: ${word}`}
        onSend={() => {
          if (reason.trim() !== '' && !change.isPending) change.mutate(reason.trim());
        }}
        onClose={() => setIsOpen(false)}
      >
        <TextInput
          label={text('dismiss.reason', { word })}
          lang="ko"
          maxLength={2_000}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <div className={parts['buttons']}>
          <Button type="submit" size="compact-sm" disabled={reason.trim() === ''} loading={change.isPending}>
            {text('dismiss.save')}
          </Button>
          <Button variant="default" size="compact-sm" onClick={() => setIsOpen(false)}>
            {text('action.close')}
          </Button>
        </div>
        <ChangeError error={change.error} />
      </OpenForm>
    </li>
  );
}
