import { accountRuleOf } from '../../wire/account-rules.ts';
import { messagesAbout } from '../http/request.ts';
import { useSharedText } from '../i18n/use-text.ts';

/** The API's remark on a field of a form, in the language of the screen; null where there is none. */
export function useFieldRule(): (error: unknown, field: string) => string | null {
  const text = useSharedText();
  return (error, field) => {
    // The first rule that failed is the one to mend first.
    const [message] = messagesAbout(error, `body.${field}`);
    if (message === undefined) return null;
    const rule = accountRuleOf(message);
    return rule === null ? message : text(`rule.${rule}`);
  };
}
