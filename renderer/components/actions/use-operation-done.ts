import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from '../../../shared/ui/parts/notices.tsx';
import { useConsole } from '../../api/console-context.tsx';
import { useText } from '../../i18n/use-text.ts';
import { ACTION_RULES } from './actions.ts';
import type { Sending } from './use-send.ts';

/** Announces the outcome of an operation on an explanation that is open beside a list. */
export function useOperationDone(): (sent: Sending) => void {
  const text = useText();
  const notify = useNotify();
  const { queries } = useConsole();
  const client = useQueryClient();
  return ({ itemId, draft }) => {
    const item = client.getQueryData(queries.explanation(itemId).queryKey);
    const name = item === undefined ? itemId : `${item.etf_ticker} ${item.etf_name}`;
    const { tone, glyph } = ACTION_RULES[draft.action];
    notify({ tone, glyph, message: text(`action.${draft.action}.done`, { item: name }) });
  };
}
