import type { SharedMessageId } from '../../../shared/ui/i18n/ko.ts';
import { useTextOf } from '../../../shared/ui/i18n/use-text.ts';
import type { OperatorMessageId } from './ko.ts';

export type MessageId = OperatorMessageId | SharedMessageId;

/** The texts of this console and those that both consoles share. */
export const useText = useTextOf<MessageId>;
