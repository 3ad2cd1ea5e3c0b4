import { useTextOf } from '../../shared/ui/i18n/use-text.ts';
import type { SharedMessageId } from '../../shared/ui/i18n/ko.ts';
import type { ConsoleMessageId } from './ko.ts';

export type MessageId = ConsoleMessageId | SharedMessageId;

/** The words of this console and the shared ones. */
export const useText = useTextOf<MessageId>;
