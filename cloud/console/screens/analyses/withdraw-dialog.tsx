import { Button, Textarea } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { AnswerLostError, ApiProblem } from '../../../../shared/ui/http/request.ts';
import { ChangeFailure } from '../../../../shared/ui/session/change-failure.tsx';
import { Dialog } from '../../../../shared/ui/parts/dialog.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { Facts } from '../../../../shared/ui/parts/panel.tsx';
import { KstTime } from '../../../../shared/ui/time/times.tsx';
import { kstText } from '../../../../shared/ui/time/format.ts';
import { refreshData } from '../../../../shared/ui/session/session-queries.ts';
import { REASON_LIMIT, type AnalysisDetail } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { LongText } from '../../runs/long-text.tsx';
import { useStoredForm } from '../../session/stored-form.ts';
import classes from './analyses.module.css';
import { PublicationBadge } from './analysis-values.tsx';
import { RecipientList } from './recipient-list.tsx';

/** The interval at which the dialog reads the receipts of the withdrawal. */
const WAITING_MS = 5_000;

export interface WithdrawDialogProps {
  item: AnalysisDetail;
  opened: boolean;
  onClose: () => void;
}

/**
 * Asks for a reason and explains the effect before an explanation is withdrawn everywhere (operator API 3). Afterwards
 * it stays open and counts the tenants that have received the withdrawal.
 */
export function WithdrawDialog({ item, opened, onClose }: WithdrawDialogProps): ReactNode {
  const text = useText();
  const { reason, setReason, isMissing, field, withdrawal, submit } = useWithdrawal(item);
  const isRefused = isNotPublished(withdrawal.error);
  const isDone = withdrawal.isSuccess;
  const issued = item.withdrawal?.recipients;
  const { queries } = useOperator();
  // While tenants have not received the withdrawal, it is asked more often than the rest of the screen.
  useQuery({
    ...queries.analysis(item.id),
    enabled: isDone && issued !== undefined && issued.received < issued.total,
    refetchInterval: WAITING_MS,
  });

  function close(): void {
    // The typed reason stays, also beyond a lost session; the answer does not.
    withdrawal.reset();
    onClose();
  }

  return (
    <Dialog opened={opened} title={text('invalidate.title')} onClose={close}>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <Explanation item={item} />
        {isDone ? (
          <div role="status">
            <p className={classes['what']}>{text('invalidate.done', { tenants: withdrawal.data.deliveries })}</p>
            {item.withdrawal !== null && (
              <RecipientList
                recipients={item.withdrawal.recipients}
                heading={text('analysis.withdrawalIssued')}
                isWithdrawal
              />
            )}
          </div>
        ) : isRefused ? (
          <Refused item={item} />
        ) : (
          <>
            <div className={classes['warning']} data-tone="bad">
              <Glyph name="warning" size={14} />
              <p>{text('invalidate.consequence')}</p>
            </div>
            <RecipientList recipients={item.recipients} heading={text('invalidate.recipients')} />
            <Textarea
              ref={field}
              label={text('invalidate.reason')}
              description={text('invalidate.recorded')}
              value={reason}
              rows={4}
              maxLength={REASON_LIMIT}
              required
              withAsterisk={false}
              error={isMissing ? text('invalidate.reason.missing') : null}
              onChange={(event) => setReason(event.currentTarget.value)}
            />
            {withdrawal.error !== null && (
              <ChangeFailure
                error={withdrawal.error}
                className={classes['failure']}
                before={text('invalidate.failed')}
              />
            )}
          </>
        )}
        <div className={classes['buttons']}>
          {isRefused || isDone ? (
            <Button variant="default" onClick={close}>
              {text('dialog.close')}
            </Button>
          ) : (
            <>
              <Button variant="default" onClick={close}>
                {text('invalidate.cancel')}
              </Button>
              <Button type="submit" className={classes['danger'] ?? ''} loading={withdrawal.isPending}>
                {text('invalidate.confirm')}
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/**
 * Identifies the explanation by its text, its day and its id, so that it is not mistaken for another of the instrument.
 */
function Explanation({ item }: { item: AnalysisDetail }): ReactNode {
  const text = useText();
  return (
    <div>
      <p className={classes['what']}>
        {item.ticker} {item.instrumentName}
      </p>
      <p className={classes['said']} lang="ko">
        {item.summary}
      </p>
      <Facts
        rows={[
          [text('field.tradeDate'), item.tradeDate],
          [text('field.asOf'), <KstTime key="asOf" at={item.explanationAsOf} precision="second" />],
          [text('field.id'), <code key="id">{item.id}</code>],
        ]}
      />
    </div>
  );
}

function Refused({ item }: { item: AnalysisDetail }): ReactNode {
  const text = useText();
  const { publicationState, withdrawnAt, withdrawalReason, withdrawal } = item;
  const at = withdrawnAt === null ? null : kstText(withdrawnAt, 'second');
  const by = withdrawal?.by ?? null;
  return (
    <div className={classes['warning']} data-tone="wait" role="alert">
      <Glyph name="warning" size={14} />
      <div>
        <p>{text('invalidate.conflict')}</p>
        {publicationState !== 'PUBLISHED' && (
          <p className={classes['badges']}>
            {text('invalidate.conflict.state')} <PublicationBadge state={publicationState} />
          </p>
        )}
        {at !== null && (
          <p>{by === null ? text('invalidate.conflict.when', { at }) : text('invalidate.conflict.who', { by, at })}</p>
        )}
        {withdrawalReason !== null && (
          <>
            <p>{text('field.withdrawalReason')}:</p>
            <LongText lang="ko">{withdrawalReason}</LongText>
          </>
        )}
      </div>
    </div>
  );
}

function useWithdrawal(item: AnalysisDetail) {
  const client = useQueryClient();
  const { api } = useOperator();
  const field = useRef<HTMLTextAreaElement>(null);
  const [{ reason }, keep] = useStoredForm(`withdrawal.${item.id}`, { reason: '' });
  const setReason = (typed: string): void => keep({ reason: typed });
  const [isMissing, setIsMissing] = useState(false);
  const withdrawal = useMutation({
    mutationFn: (given: string) => api.withdraw(item.id, given),
    onSuccess: () => {
      setReason('');
      void refreshData(client);
    },
    // Another operator was faster, or the answer was lost: the screen is read again, and the dialog shows the present
    // state.
    onError: (error) => void ((isNotPublished(error) || error instanceof AnswerLostError) && refreshData(client)),
  });
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const given = reason.trim();
    setIsMissing(given === '');
    if (given === '') field.current?.focus();
    else if (!withdrawal.isPending) withdrawal.mutate(given);
  }
  return { reason, setReason, isMissing, field, withdrawal, submit };
}

function isNotPublished(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 409;
}
