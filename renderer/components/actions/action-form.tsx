import { Button, Checkbox, TextInput } from '@mantine/core';
import { useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useFailureWords, useIsBack } from '../../../shared/ui/session/change-failure.tsx';
import { ApiProblem, isConflict, messagesAbout, toAcknowledge } from '../../../shared/ui/http/request.ts';
import { Glyph } from '../../../shared/ui/parts/glyphs.tsx';
import { OpenForm } from '../../../shared/ui/parts/open-form.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { isReasoned } from '../domain/reasons.ts';
import { useText } from '../../i18n/use-text.ts';
import type { ReasonCode } from '../../../shared/wire/console/console.ts';
import type { FieldError } from '../../../shared/wire/envelope.ts';
import { openFigures, type CheckedFigure } from '../../../shared/evidence/support.ts';
import type { ServerDraftState } from './use-server-draft.ts';
import parts from '../parts/parts.module.css';
import classes from './actions.module.css';
import { ACTION_RULES, passesOverEdit, problemOf, type DraftProblem, type ActionDraft } from './actions.ts';
import { EditFields } from './edit-fields.tsx';
import { FindingsBar } from './findings-bar.tsx';
import type { FoundInEdit } from './findings.ts';
import type { Offer } from './replacements.ts';
import { NotTakenError } from '../parts/lost-response.ts';
import { ReasonFields } from './reason-fields.tsx';
import type { DraftHandle, DraftKind } from './use-draft.ts';
import { refusalOf, type Send } from './use-send.ts';

export interface ActionFormProps {
  kind: DraftKind;
  itemId: string;
  /** The explanation, for the form's name. */
  itemName: string;
  draft: ActionDraft;
  handle: DraftHandle;
  send: Send;
  /** Initial position of the caret: the first mark in the text. */
  caret: number;
  /** Compares an edited text's figures with the evidence; absent without an edited text. */
  figuresOf?: (text: string) => CheckedFigure[];
  /** The server's state of an edited text, and the policy's findings in it. */
  saved?: ServerDraftState;
  found?: FoundInEdit | null;
  /** What the policy offers in the place of found expressions. */
  offers?: readonly Offer[];
  /** The preselected reason of a refusal. */
  suggested?: ReasonCode | null;
  /** The reviewer awaits a second opinion: a decision that exposes the text must confirm that it goes without. */
  awaitsOpinion?: boolean;
  /** The reviewer wrote this text and another one must approve it: it can be sent only after a change. */
  needsAnother?: boolean;
  /** Colleagues who are writing about the item: the first submission asks before their work is overtaken. */
  overtakes?: readonly { id: string; who: string }[];
  /** A note about this decision before it is sent. */
  note?: ReactNode;
  /** False if the form was open before its item became visible. */
  takesFocus?: boolean;
  /** Whether the text has been visible; if not, the first submission asks the reviewer to read it. */
  wasSeen?: () => boolean;
}

/** The label of the note, where it is no comment on a decision. */
const NOTE_LABELS = {
  'optional-reason': 'action.note.reason',
  'written-reason': 'action.note.reason.required',
} as const;

/** Problems whose message is shown elsewhere. */
const TOLD_AS = { opinion: 'opinion.awaited', another: 'action.secondPerson' } as const;

const NO_OFFERS: readonly Offer[] = [];
const NOBODY: readonly { id: string; who: string }[] = [];
const NOTHING = { words: [], figures: [] } as const;

/** The form of one action. Its button or Ctrl+Enter sends it, Escape closes it and keeps the written text. */
export function ActionForm({
  kind,
  itemId,
  itemName,
  draft,
  handle,
  send,
  caret,
  figuresOf,
  saved = null,
  found = null,
  offers = NO_OFFERS,
  suggested: suggestedNow = null,
  awaitsOpinion = false,
  needsAnother = false,
  overtakes = NOBODY,
  note = null,
  takesFocus = true,
  wasSeen = () => true,
}: ActionFormProps): ReactNode {
  const text = useText();
  const { asks, tone, isDestructive = false } = ACTION_RULES[draft.action];
  const form = useRef<HTMLFormElement>(null);
  // Sending again with the findings on screen acknowledges them; earlier acknowledgements stay.
  const refusal = refusalOf(send, kind, itemId);
  const isUnanswered = send.unanswered?.itemId === itemId;
  const isAnotherUnanswered = send.unanswered !== null && !isUnanswered;
  // Fixed when the form opens, so that a later change of the policy does not change the selection.
  const [suggested] = useState(suggestedNow);
  const [goesWithout, setGoesWithout] = useState(false);
  const mustGoWithout = awaitsOpinion && asks !== 'reason';
  /** The ids of the colleagues' drafts that the user has been asked about. */
  const [askedAbout, setAskedAbout] = useState<readonly string[]>([]);
  const isOnItsWay = send.isPending && send.variables.itemId === itemId;
  const [problem, setProblem] = useState<
    DraftProblem | keyof typeof TOLD_AS | 'unanswered' | 'busy' | 'overtakes' | 'unseen' | null
  >(null);

  const compared = useDeferredValue(draft.text);
  const open = useMemo(
    () => (asks === 'text' ? openFigures(figuresOf?.(compared) ?? []) : []),
    [asks, figuresOf, compared],
  );

  // Below a long text it would not be visible.
  const refusedWith = refusal?.error ?? null;
  useEffect(() => {
    if (problem !== null || refusedWith !== null)
      form.current?.querySelector('[role="alert"]')?.scrollIntoView({ block: 'nearest' });
  }, [problem, refusedWith]);

  function submit(): void {
    // Decisions are sent one at a time: the reviewer learns that this one was not sent, and sends it again.
    if (send.isPending) return setProblem(isOnItsWay ? null : isAnotherUnanswered ? 'unanswered' : 'busy');
    // Sends the reason that the form shows as selected.
    const whole = asks === 'reason' ? { ...draft, code: draft.code ?? suggested } : draft;
    const found =
      (needsAnother ? 'another' : null) ??
      problemOf(whole, draft.base) ??
      (mustGoWithout && !goesWithout ? 'opinion' : null) ??
      (overtakes.some(({ id }) => !askedAbout.includes(id)) ? 'overtakes' : null) ??
      (problem !== 'unseen' && !wasSeen() ? 'unseen' : null);
    setProblem(found);
    if (found === 'overtakes') setAskedAbout(overtakes.map(({ id }) => id));
    if (found === null)
      send.mutate({
        kind,
        itemId,
        draft: whole,
        acknowledged: refusal?.acknowledged ?? NOTHING,
        withoutOpinion: mustGoWithout,
      });
    else form.current?.querySelector<HTMLElement>('[data-first]')?.focus();
  }

  const title = text(`action.${draft.action}.title`, { item: itemName });
  return (
    <OpenForm
      ref={form}
      label={title}
      className={classes['form']}
      tone={tone}
      takesFocus={takesFocus}
      onSend={submit}
      onClose={handle.close}
    >
      <p className={classes['title']}>{title}</p>
      {asks === 'text' && (
        <EditFields
          draft={draft}
          caret={caret}
          open={open}
          saved={saved}
          found={found}
          offers={offers}
          onChange={handle.change}
        />
      )}
      {note}
      {asks === 'reason' && isReasoned(draft.action) && (
        <ReasonFields action={draft.action} draft={draft} suggested={suggested} onChange={handle.change} />
      )}
      {passesOverEdit(draft) && (
        <p className={classes['note']} data-tone="wait">
          <Glyph name="warning" />{' '}
          {text(draft.carried === null ? 'action.approve.editsIgnored' : 'action.approve.carriedIgnored')}
        </p>
      )}
      {asks !== 'reason' && (
        <TextInput
          label={text(
            asks === 'optional-reason' || asks === 'written-reason' ? NOTE_LABELS[asks] : 'action.note.comment',
          )}
          value={draft.note}
          maxLength={2_000}
          onChange={(event) => handle.change({ note: event.currentTarget.value })}
          {...(asks === 'text' ? {} : { 'data-first': true })}
        />
      )}
      {mustGoWithout && (
        <Checkbox
          label={text('opinion.without')}
          checked={goesWithout}
          onChange={(event) => setGoesWithout(event.currentTarget.checked)}
        />
      )}
      {problem !== null && (
        <p className={classes['note']} data-tone="bad" role="alert">
          <Glyph name="warning" />{' '}
          {text(problem === 'opinion' || problem === 'another' ? TOLD_AS[problem] : `problem.${problem}`, {
            names: overtakes.map(({ who }) => who).join(', '),
          })}
        </p>
      )}
      {isUnanswered && (
        <p className={classes['note']} data-tone="wait" role="alert">
          <Glyph name="waiting" /> {text('action.unanswered')}
        </p>
      )}
      {refusal !== null && <SendError error={refusal.error} />}
      <div className={classes['buttons']}>
        <Button
          type="submit"
          className={isDestructive ? parts['destructive'] : undefined}
          loading={isOnItsWay}
          disabled={needsAnother}
        >
          {text(`action.${draft.action}.confirm`)}
        </Button>
        <Button variant="default" onClick={handle.close}>
          {text('action.close')}
        </Button>
        <ConfirmButton
          label={text('action.discard')}
          named={text('action.discard')}
          size="xs"
          onConfirm={handle.discard}
        />
        <span className={classes['hint']}>{text('action.hint')}</span>
        {asks === 'text' && <FindingsBar form={form} found={found} open={open} />}
      </div>
    </OpenForm>
  );
}

/** Refusals because of the text itself; sending it again does not help (D65). */
const REFUSALS = {
  REVIEW4092: 'action.carriesEdit',
  REVIEW4093: 'action.blocked',
  REVIEW4094: 'action.toAcknowledge',
  REVIEW4095: 'action.secondPerson',
  REVIEW4097: 'action.numbersClosed',
  REVIEW4098: 'action.figuresToAcknowledge',
  REVIEW4099: 'action.notAsTold',
} as const;

/** Where a remark is on the whole text. */
const TEXT_PATHS: ReadonlySet<string> = new Set(['body.edited_summary', 'body.published_summary', 'summary']);

function refusedAs(error: Error): (typeof REFUSALS)[keyof typeof REFUSALS] | null {
  if (!(error instanceof ApiProblem) || !Object.hasOwn(REFUSALS, error.code)) return null;
  return REFUSALS[error.code as keyof typeof REFUSALS];
}

/** The findings that an answer refuses: for good, or until they are acknowledged. */
function SendError({ error }: { error: Error }): ReactNode {
  const text = useText();
  const isBack = useIsBack(error);
  const describe = useFailureWords();
  const remarks = error instanceof ApiProblem ? error.fieldErrors : [];
  const blocked = remarks.filter(({ path }) => TEXT_PATHS.has(path));
  const toLookAt = remarks.filter(({ path }) => path.startsWith('body.acknowledgedWords.'));
  const worded = ({ message, finding }: FieldError): string => {
    if (finding === undefined) return message;
    if (finding.kind === 'NOTICE')
      return `${text('action.missingNotice')} “${finding.name}”: ${finding.terms.map((term) => `“${term}”`).join(' | ')}`;
    const { matched, word } = finding;
    return matched === word ? `“${matched}”` : `“${matched}” = “${word}”`;
  };
  const shown = [
    ...(blocked.length > 0 ? blocked : toLookAt).map(worded),
    ...new Set(toAcknowledge(error, 'Figures').map((figure) => `${text('action.openFigure')} “${figure}”`)),
  ];
  const refused = refusedAs(error);
  const what =
    refused !== null
      ? text(refused)
      : messagesAbout(error, 'body.withoutOpinion').length > 0
        ? text('opinion.awaited')
        : isConflict(error)
          ? text('action.conflict')
          : error instanceof NotTakenError
            ? text('action.notTaken')
            : describe(error, isBack);
  // Clears the problem once the draft can be sent.
  const isRemark = isBack || error instanceof NotTakenError;
  return (
    <div className={classes['note']} data-tone={isRemark ? 'info' : 'bad'} role={isRemark ? 'status' : 'alert'}>
      <Glyph name={isRemark ? 'waiting' : 'warning'} />
      <div>
        <p>
          {what} {text('action.textKept')}
        </p>
        {shown.length > 0 && (
          <ul lang="ko">
            {shown.map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
