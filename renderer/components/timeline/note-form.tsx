import { Button, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import type { TimelineEntry } from '../../../shared/wire/console/console.ts';
import { useUnsentText } from '../actions/unsent-text.ts';
import { useConsole } from '../../api/console-context.tsx';
import { TIMELINE_PAGE } from '../../api/queries.ts';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { useChange } from '../parts/use-change.ts';
import { useProfile } from '../../api/session-context.ts';
import classes from './timeline.module.css';

/** The API's limit for a note, in characters. */
const LONGEST = 2_000;

/** A note for colleagues, behind a button. The text is kept, on any screen, until the server has it. */
export function NoteForm({ id }: { id: string }): ReactNode {
  const text = useText();
  const { api, queries } = useConsole();
  const client = useQueryClient();
  const { displayName } = useProfile();
  const [kept, setNote] = useUnsentText('note', id);
  const note = kept ?? '';
  // Only its button opens it, so that a reviewer who walks past does not type into it.
  const [isOpen, setIsOpen] = useState(false);
  const isThis =
    (written: string) =>
    (entry: TimelineEntry): boolean =>
      entry.kind === 'NOTE' && entry.actor === displayName && entry.text === written;
  const before = useRef(0);
  const change = useChange(
    async (written: string): Promise<unknown> => {
      // The same text may exist already: one more of it is this note.
      const shown = client.getQueryData(queries.timeline(id).queryKey)?.pages[0]?.items ?? [];
      before.current = shown.filter(isThis(written)).length;
      return api.addNote(id, written);
    },
    text('note.done'),
    discard,
    async (written) => {
      const { items } = await api.timeline(id, { page: 1, size: TIMELINE_PAGE });
      return items.filter(isThis(written)).length > before.current ? true : null;
    },
  );
  function discard(): void {
    setNote(null);
    setIsOpen(false);
  }
  if (!isOpen)
    return (
      <div className={classes['form']}>
        <Button variant="default" size="compact-sm" onClick={() => setIsOpen(true)}>
          {text('note.write')}
        </Button>
      </div>
    );
  const isBlank = note.trim() === '';
  return (
    <OpenForm
      className={classes['form']}
      label={text('note.write')}
      onSend={() => {
        if (!isBlank && !change.isPending) change.mutate(note.trim());
      }}
      onClose={() => setIsOpen(false)}
    >
      <Textarea
        label={text('note.label')}
        lang="ko"
        rows={3}
        maxLength={LONGEST}
        spellCheck={false}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <div className={classes['buttons']}>
        <Button type="submit" disabled={isBlank} loading={change.isPending}>
          {text('note.add')}
        </Button>
        <Button variant="default" onClick={() => setIsOpen(false)}>
          {text('action.close')}
        </Button>
        <ConfirmButton label={text('action.discard')} named={text('action.discard')} size="xs" onConfirm={discard} />
      </div>
      <ChangeError error={change.error} />
    </OpenForm>
  );
}
