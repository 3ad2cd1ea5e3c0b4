import { VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useReducer, useRef, useState, type ReactNode } from 'react';
import { useOpenId } from '../../../shared/ui/frame/open-id.ts';
import { takeLostFocus } from '../../../shared/ui/keys/takes-keys.tsx';
import { useShortcuts } from '../../../shared/ui/keys/use-shortcuts.ts';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { HandOverDialog } from './queue/hand-over-dialog.tsx';
import { HoldStrip } from './item/hold-strip.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { ReviewDetail } from './item/review-detail.tsx';
import classes from './item/review.module.css';
import { useHolds } from './item/use-holds.ts';
import { useKeys } from './item/use-keys.ts';
import { useReviewSend } from './item/use-review-send.ts';

/** One case in a window of its own, `/case/{id}`: the review of that item with its hits and keys only. */
export function CaseScreen(): ReactNode {
  const id = useOpenId();
  return id !== null && <Case key={id} id={id} />;
}

function Case({ id }: { id: string }): ReactNode {
  const text = useText();
  const { queries } = useConsole();
  const item = useQuery(queries.reviewItem(id)).data;
  const name = item === undefined ? text('nav.review') : `${item.etf_ticker} ${item.etf_name}`;
  const title = `${name} · ${text('product.name')}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
  const { shortcuts } = useKeys();
  const [isHandingOver, setIsHandingOver] = useState(false);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const screen = useRef<HTMLDivElement>(null);
  // After the form that held the focus is gone.
  const [timesAsked, askForFocus] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    if (timesAsked > 0) takeLostFocus(screen.current?.querySelector('h2'));
  }, [timesAsked]);
  const holds = useHolds();
  const send = useReviewSend(holds, { onSent: askForFocus });
  useShortcuts(shortcuts.read, true, (key) => {
    if (key === 'help') setIsHelpOpen(true);
    else scrollBy(scroller.current, key);
  });
  return (
    <div ref={screen} className={classes['case']}>
      <VisuallyHidden component="h1">{name}</VisuallyHidden>
      <ReviewDetail
        id={id}
        send={send}
        hasKeys
        back={null}
        isApart
        outside={null}
        onHelp={() => setIsHelpOpen(true)}
        scroller={scroller}
        onNext={undefined}
        onHandOver={() => setIsHandingOver(true)}
      />
      <HoldStrip holds={holds} isSending={send.isPending} onUndone={askForFocus} onFocusLost={askForFocus} />
      {isHandingOver && item !== undefined && (
        <HandOverDialog item={item} onClose={() => setIsHandingOver(false)} onHandedOver={askForFocus} />
      )}
      <KeysDialog opened={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
    </div>
  );
}

/** The share of the visible height that one key press scrolls. */
const PAGE = 0.85;

export function scrollBy(scroller: HTMLElement | null, key: 'scroll-down' | 'scroll-up'): void {
  const page = (scroller?.clientHeight ?? 0) * PAGE;
  scroller?.scrollBy({ top: key === 'scroll-down' ? page : -page });
}
