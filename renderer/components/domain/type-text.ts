import type { Text } from '../../../shared/ui/i18n/use-text.ts';
import type { MessageId } from '../../i18n/use-text.ts';

const KNOWN_TYPES = ['EVENT_SUPPORTED', 'UNCERTAIN'] as const;

/** A type of explanation in words; null for a type that the contract does not name. */
export function typeText(text: Text<MessageId>, type: string): string | null {
  const known = KNOWN_TYPES.find((one) => one === type);
  return known === undefined ? null : text(`type.${known}`);
}
