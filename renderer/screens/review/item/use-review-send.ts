import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from '../../../../shared/ui/parts/notices.tsx';
import { kstText } from '../../../../shared/ui/time/format.ts';
import { ACTION_RULES } from '../../../components/actions/actions.ts';
import { useSend, type Send, type SendListener } from '../../../components/actions/use-send.ts';
import { useConsole } from '../../../api/console-context.tsx';
import { useText } from '../../../i18n/use-text.ts';
import type { Holds } from './use-holds.ts';

export interface ReviewSendListener extends Omit<SendListener, 'onDone'> {
  /** @param isDone false for an approval that waits for a second person */
  onSent: (itemId: string, isDone: boolean) => void;
}

/** Sends a decision and announces the outcome; an approval on hold goes to `holds`. */
export function useReviewSend(holds: Holds, { onSent, ...listener }: ReviewSendListener): Send {
  const text = useText();
  const notify = useNotify();
  const { queries } = useConsole();
  const client = useQueryClient();
  const onDone: SendListener['onDone'] = ({ itemId, draft }, { became, hold, obstacle, aheadUntil }) => {
    const item = client.getQueryData(queries.reviewItem(itemId).queryKey);
    const name = item === undefined ? itemId : `${item.etf_ticker} ${item.etf_name}`;
    const { tone, glyph } = ACTION_RULES[draft.action];
    if (became === 'waits') notify({ tone: 'wait', glyph: 'waiting', message: text('fourEyes.asked', { item: name }) });
    else if (hold === null) {
      const done = text(`action.${draft.action}.done`, { item: name });
      if (obstacle === null) notify({ tone, glyph, message: done });
      else {
        const why = text(`done.notExposed.${obstacle}`, { time: kstText(aheadUntil ?? '') ?? '' });
        notify({ tone: 'wait', glyph: obstacle === 'AHEAD' ? 'waiting' : 'warning', message: `${done} ${why}` });
      }
    } else {
      const { version, leftMs } = hold;
      const seconds = Math.ceil(leftMs / 1_000);
      const begun = text('hold.begun', { item: name, seconds });
      // Besides the initial hold, a later text may keep it from being exposed.
      const isReplaced = item?.later?.replaces === true;
      holds.add({ id: itemId, version, name, isReplaced, endsAt: performance.now() + leftMs });
      const message = isReplaced ? `${begun} ${text('done.notExposed.REPLACED')}` : begun;
      notify({ tone: 'wait', glyph: 'waiting', message });
    }
    onSent(itemId, became === 'done');
  };
  return useSend({ ...listener, onDone });
}
