import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { AnswerLostError, ApiProblem } from '../../../../shared/ui/http/request.ts';
import { ChangeFailure } from '../../../../shared/ui/session/change-failure.tsx';
import { Dialog } from '../../../../shared/ui/parts/dialog.tsx';
import { Glyph } from '../../../../shared/ui/parts/glyphs.tsx';
import { useNotify } from '../../../../shared/ui/parts/notices.tsx';
import { refreshData } from '../../../../shared/ui/session/session-queries.ts';
import { REASON_LIMIT, type AnalysisDetail } from '../../../../shared/wire/operator/operator.ts';
import { useOperator } from '../../api/operator-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import classes from './analyses.module.css';
import { PublicationBadge } from './analysis-values.tsx';
import { RecipientList } from './recipient-list.tsx';

export interface WithdrawDialogProps {
  item: AnalysisDetail;
  opened: boolean;
  onClose: () => void;
}

/** Asks for a reason and says what follows, before an explanation is withdrawn everywhere (operator API 3). */
export function WithdrawDialog({ item, opened, onClose }: WithdrawDialogProps): ReactNode {
  const text = useText();
  const { reason, setReason, isMissing, field, withdrawal: invalidation, submit } = useWithdrawal(item, onClose);
  const name = `${item.ticker} ${item.instrumentName}`;
  const isRefused = isNotPublished(invalidation.error);

  function close(): void {
    // What was typed stays for when it is opened again; what was answered does not.
    invalidation.reset();
    onClose();
  }

  return (
    <Dialog opened={opened} title={text('invalidate.title')} onClose={close}>
      <form className={classes['form']} onSubmit={submit} noValidate>
        <p className={classes['what']}>{name}</p>
        {isRefused ? (
          <div className={classes['warning']} data-tone="wait" role="alert">
            <Glyph name="warning" size={14} />
            <div>
              <p>{text('invalidate.conflict')}</p>
              {item.publicationState !== 'PUBLISHED' && (
                <p className={classes['badges']}>
                  {text('invalidate.conflict.state')} <PublicationBadge state={item.publicationState} />
                </p>
              )}
            </div>
          </div>
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
            {invalidation.error !== null && (
              <ChangeFailure
                error={invalidation.error}
                className={classes['failure']}
                before={text('invalidate.failed')}
              />
            )}
          </>
        )}
        <div className={classes['buttons']}>
          {isRefused ? (
            <Button variant="default" onClick={close}>
              {text('dialog.close')}
            </Button>
          ) : (
            <>
              <Button variant="default" onClick={close}>
                {text('invalidate.cancel')}
              </Button>
              <Button type="submit" className={classes['danger'] ?? ''} loading={invalidation.isPending}>
                {text('invalidate.confirm')}
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function useWithdrawal(item: AnalysisDetail, onDone: () => void) {
  const text = useText();
  const notify = useNotify();
  const client = useQueryClient();
  const { api } = useOperator();
  const field = useRef<HTMLTextAreaElement>(null);
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const withdrawal = useMutation({
    mutationFn: (given: string) => api.withdraw(item.id, given),
    onSuccess: ({ deliveries }) => {
      notify({
        tone: 'stop',
        glyph: 'withdrawn',
        message: text('invalidate.done', { item: `${item.ticker} ${item.instrumentName}`, tenants: deliveries }),
      });
      setReason('');
      onDone();
      void refreshData(client);
    },
    // Somebody else was faster, or nobody knows: what is on screen is read again, and the dialog says what it is now.
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
