import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ApiProblem, messagesAbout } from '../../../shared/ui/http/request.ts';
import { Loaded } from '../../../shared/ui/parts/data-state.tsx';
import { Panel } from '../../../shared/ui/parts/panel.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { blindHref } from '../domain/blind-address.ts';
import { useText } from '../../i18n/use-text.ts';
import { ChangeError } from '../parts/change-error.tsx';
import parts from '../parts/parts.module.css';
import { useChange } from '../parts/use-change.ts';

/** Whether an item is hidden because its decision awaits the caller's blind review. */
export function isUnseen(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'REVIEW4096';
}

interface LoadedItemProps<T> {
  id: string;
  query: UseQueryResult<T>;
  /** The way out: back to the list. */
  back?: ReactNode;
  /** The same where the item is missing. */
  missing?: ReactNode;
  children: (item: T) => ReactNode;
}

/**
 * An item, or the question whether to see a decision before the blind review; data read before the question is not
 * shown.
 */
export function LoadedItem<T>({ id, query, back, missing, children }: LoadedItemProps<T>): ReactNode {
  return isUnseen(query.error) ? (
    <UnseenDecision id={id} review={messagesAbout(query.error, 'review')[0] ?? null} back={back} />
  ) : (
    <>
      <Loaded query={query}>{children}</Loaded>
      {query.data === undefined && isMissing(query.error) && <div className={parts['missing']}>{missing ?? back}</div>}
    </>
  );
}

const isMissing = (error: unknown): boolean => error instanceof ApiProblem && error.status === 404;

function UnseenDecision({ id, review, back }: { id: string; review: string | null; back: ReactNode }): ReactNode {
  const text = useText();
  const { api } = useConsole();
  const look = useChange(() => api.noteLook(id), null);
  return (
    <div className={parts['asked']}>
      {back}
      <Panel level={2} title={text('blind.unseen')}>
        <p>{text('blind.unseen.note')}</p>
        <ChangeError error={look.error} />
        <div className={parts['buttons']}>
          <Button component={Link} href={blindHref({ state: 'OPEN', review })}>
            {text('blind.unseen.review')}
          </Button>
          <Button variant="default" loading={look.isPending} onClick={() => look.mutate(undefined)}>
            {text('blind.unseen.look')}
          </Button>
        </div>
      </Panel>
    </div>
  );
}
