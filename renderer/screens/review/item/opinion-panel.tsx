import { Button, NativeSelect, Textarea } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useShortcuts } from '../../../../shared/ui/keys/use-shortcuts.ts';
import { Tag } from '../../../../shared/ui/parts/badge.tsx';
import { OpenForm } from '../../../../shared/ui/parts/open-form.tsx';
import { Panel } from '../../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import {
  OPINIONS,
  type Opinion,
  type ReviewDetail,
  type SecondOpinion,
} from '../../../../shared/wire/console/console.ts';
import { useUnsentText } from '../../../components/actions/unsent-text.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import { ChangeError } from '../../../components/parts/change-error.tsx';
import parts from '../../../components/parts/parts.module.css';
import { useChange } from '../../../components/parts/use-change.ts';
import { useMay } from '../../../api/session-context.ts';
import classes from './review.module.css';
import { useKeys } from './use-keys.ts';

/** The API's limit for a question or an answer, in characters. */
const LONGEST = 2_000;

/** Shows in the queue that an opinion is requested or was given. */
export function OpinionTag({ opinion }: { opinion: SecondOpinion | null }): ReactNode {
  const text = useText();
  if (opinion === null) return null;
  if (opinion.given !== null)
    return (
      <Tag tone="info" glyph="tick">
        {text('opinion.tag.given', { opinion: text(`opinion.${opinion.given.opinion}`) })}
      </Tag>
    );
  return (
    <Tag tone="wait" glyph={opinion.mine ? 'waiting' : 'unknown'}>
      {text(opinion.mine ? 'opinion.tag.mine' : 'opinion.tag.theirs')}
    </Tag>
  );
}

/**
 * The second opinion about a waiting item: deciding reviewers request, give or withdraw it. It decides nothing. Hidden
 * without an opinion if the user may not request one.
 */
export function OpinionPanel({ item, hasKeys }: { item: ReviewDetail; hasKeys: boolean }): ReactNode {
  const text = useText();
  const may = useMay();
  const [open, setOpen] = useState<'ask' | 'give' | null>(null);
  const [kept, setQuestion] = useUnsentText('question', item.id);
  const question = kept ?? '';
  const { opinion } = item;
  const mayWrite = may('review.decide') && item.status === 'PENDING_REVIEW';
  const isOpenRequest = opinion !== null && opinion.given === null;
  const awaitsMine = isOpenRequest && !opinion.mine;
  const hasForm = mayWrite && (!isOpenRequest || awaitsMine);
  const form = awaitsMine ? 'give' : 'ask';
  const place = { isOpen: open === form, onOpen: () => setOpen(form), onClose: () => setOpen(null) };
  const { shortcuts } = useKeys();
  useShortcuts(shortcuts.opinion, hasKeys && hasForm, place.onOpen);
  if (opinion === null && !mayWrite) return null;
  if (opinion === null && !place.isOpen)
    return (
      <div className={classes['askRow']}>
        <AskForm item={item} question={question} onWrite={setQuestion} {...place} />
      </div>
    );
  return (
    <Panel title={text('opinion.title')}>
      {opinion !== null && <OpinionText opinion={opinion} />}
      {hasForm &&
        (awaitsMine ? (
          <GiveForm key={opinion.id} itemId={item.id} opinion={opinion} {...place} />
        ) : (
          <AskForm item={item} question={question} onWrite={setQuestion} {...place} />
        ))}
      {mayWrite && isOpenRequest && opinion.mine && <Withdraw opinion={opinion} />}
    </Panel>
  );
}

function OpinionText({ opinion: { question, displayName, at, mine, given } }: { opinion: SecondOpinion }): ReactNode {
  const text = useText();
  return (
    <>
      <p>
        {mine && given === null ? text('opinion.mine') : text('opinion.askedBy', { name: displayName })}{' '}
        <KstTime at={at} />
      </p>
      <p className={classes['told']} lang="ko">
        {question}
      </p>
      {given !== null && (
        <>
          <p>
            {text('opinion.givenBy', { name: given.displayName })}: <strong>{text(`opinion.${given.opinion}`)}</strong>{' '}
            <KstTime at={given.at} />
          </p>
          <p className={classes['told']} lang="ko">
            {given.text}
          </p>
        </>
      )}
    </>
  );
}

interface FormProps {
  isOpen: boolean;
  onOpen: () => void;
  /** Closes the form; the written text stays. */
  onClose: () => void;
}

function AskForm({
  item,
  question,
  onWrite,
  ...form
}: FormProps & { item: ReviewDetail; question: string; onWrite: (question: string) => void }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const change = useChange(
    (asked: string) => api.askOpinion(item, asked),
    text('opinion.asked'),
    () => {
      onWrite('');
      form.onClose();
    },
    async (asked) => {
      const { opinion } = await api.reviewItem(item.id);
      return opinion?.mine === true && opinion.given === null && opinion.question === asked ? opinion : null;
    },
  );
  return (
    <OpinionForm
      {...form}
      words={{
        open: text(item.opinion === null ? 'opinion.ask' : 'opinion.askAgain'),
        field: text('opinion.question'),
        send: text('opinion.send'),
      }}
      value={question}
      onChange={onWrite}
      onSend={change.mutate}
      isSending={change.isPending}
      error={change.error}
    />
  );
}

function GiveForm({ itemId, opinion, ...form }: FormProps & { itemId: string; opinion: SecondOpinion }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const [what, setWhat] = useState<Opinion | null>(null);
  const [kept, setWhy] = useUnsentText('opinion', opinion.id);
  const why = kept ?? '';
  const change = useChange(
    (asked: { what: Opinion; why: string }) => api.answerOpinion(opinion.id, asked.what, asked.why),
    text('opinion.done'),
    () => {
      setWhy(null);
      form.onClose();
    },
    async (asked) => {
      const { opinion: now } = await api.reviewItem(itemId);
      return now?.id === opinion.id && now.given?.text === asked.why ? now : null;
    },
  );
  return (
    <OpinionForm
      {...form}
      words={{ open: text('opinion.give'), field: text('opinion.why'), send: text('opinion.save') }}
      value={why}
      onChange={setWhy}
      isWhole={what !== null}
      onSend={(written) => what !== null && change.mutate({ what, why: written })}
      isSending={change.isPending}
      error={change.error}
    >
      <NativeSelect
        label={text('opinion.what')}
        value={what ?? ''}
        data={[
          { value: '', label: text('opinion.choose') },
          ...OPINIONS.map((one) => ({ value: one, label: text(`opinion.${one}`) })),
        ]}
        onChange={({ currentTarget: { value } }) => setWhat(OPINIONS.find((one) => one === value) ?? null)}
      />
    </OpinionForm>
  );
}

/** One text behind a button. Ctrl+Enter sends it, Escape closes it and keeps the text. */
function OpinionForm({
  isOpen,
  onOpen,
  onClose,
  words,
  value,
  onChange,
  isWhole = true,
  onSend,
  isSending,
  error,
  children,
}: FormProps & {
  words: { open: string; field: string; send: string };
  value: string;
  onChange: (value: string) => void;
  /** Whether the fields beside the text are filled in. */
  isWhole?: boolean;
  onSend: (value: string) => void;
  isSending: boolean;
  error: Error | null;
  children?: ReactNode;
}): ReactNode {
  const text = useText();
  const cap = useKeys().shownCapOf('opinion');
  const [isMissing, setIsMissing] = useState(false);
  if (!isOpen)
    return (
      <Button
        variant="default"
        size="compact-sm"
        rightSection={cap !== undefined && <kbd aria-hidden="true">{cap}</kbd>}
        aria-keyshortcuts={cap}
        onClick={onOpen}
      >
        {words.open}
      </Button>
    );
  const isBlank = value.trim() === '';
  return (
    <OpenForm
      className={parts['form']}
      label={words.open}
      onSend={() => {
        setIsMissing(!isWhole);
        if (isWhole && !isBlank && !isSending) onSend(value.trim());
      }}
      onClose={onClose}
    >
      {children}
      <Textarea
        label={words.field}
        lang="ko"
        rows={3}
        maxLength={LONGEST}
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <p className={parts['quiet']}>{text('opinion.note')}</p>
      {isMissing && !isWhole && (
        <p className={parts['note']} data-tone="bad" role="alert">
          {text('opinion.missing')}
        </p>
      )}
      <div className={parts['buttons']}>
        <Button type="submit" size="compact-sm" disabled={isBlank} loading={isSending}>
          {words.send}
        </Button>
        <Button variant="default" size="compact-sm" onClick={onClose}>
          {text('action.close')}
        </Button>
      </div>
      <ChangeError error={error} />
    </OpenForm>
  );
}

function Withdraw({ opinion }: { opinion: SecondOpinion }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const change = useChange(() => api.withdrawOpinion(opinion.id), text('opinion.withdrawn'));
  return (
    <>
      <Button variant="default" size="compact-sm" loading={change.isPending} onClick={() => change.mutate(undefined)}>
        {text('opinion.withdraw')}
      </Button>
      <ChangeError error={change.error} />
    </>
  );
}
