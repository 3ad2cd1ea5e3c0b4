import { accountRuleOf } from '../../wire/account-rules.ts';
import { messagesAbout } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';

/** The API's message about a form field, in the screen's language; null for none. */
export function useFieldRule(): (error: unknown, field: string) => string | null {
  const text = useSharedText();
  return (error, field) => {
    // The first broken rule is the one to fix first.
    const [message] = messagesAbout(error, `body.${field}`);
    if (message === undefined) return null;
    const rule = accountRuleOf(message);
    return rule === null ? message : text(`rule.${rule}`);
  };
}
