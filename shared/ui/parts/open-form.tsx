import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
} from 'react';
import { giveFocusBack } from '../keys/lost-focus.ts';
import { focusFirstField, useKeyRest, useTakesKeys } from '../keys/takes-keys.tsx';

export interface OpenFormProps {
  ref?: RefObject<HTMLFormElement | null>;
  /** Accessible name of the form. */
  label: string;
  className?: string | undefined;
  tone?: string;
  /** False for a form that was open before its screen became visible: keys that walk must not end in it. */
  takesFocus?: boolean;
  onSend: () => void;
  /** Escape calls it; absent where Escape closes an element around the form. */
  onClose?: () => void;
  children: ReactNode;
}

/** The key that sends with Ctrl. A form that has sent tells it to `KeyRest` (D118). */
export const SEND_KEY = 'Enter';

/** Elements that use Escape themselves, and buttons, which use Enter. */
const OWN_ESCAPE = 'form, input, select, textarea, [contenteditable], [role=dialog], [role=menu], [role=listbox]';
const OWN_ENTER = `${OWN_ESCAPE}, button, a, summary`;

/**
 * A form that opens: it takes the focus and makes the shortcuts rest. Its button or Ctrl+Enter sends it, never Enter in
 * a field, so that text meant for another place sends nothing. Without any focus, Escape still closes it, and
 * Ctrl+Enter focuses it without sending.
 */
export function OpenForm({
  ref,
  label,
  className,
  tone,
  takesFocus = true,
  onSend,
  onClose,
  children,
}: OpenFormProps): ReactNode {
  const own = useRef<HTMLFormElement>(null);
  const form = ref ?? own;
  const keys = useKeyRest();
  useTakesKeys('form');
  const begin = useEffectEvent(() => {
    if (takesFocus) focusFirstField(form.current);
  });
  useLayoutEffect(() => {
    const opener = document.activeElement;
    begin();
    const element = form.current;
    return () => {
      // The button that sends is disabled meanwhile and has lost the focus.
      const article = element?.closest('article');
      // After the form has left the page and lost the focus, unless another element has taken it.
      queueMicrotask(() => giveFocusBack(opener, article?.querySelector<HTMLElement>('h2[tabindex]')));
    };
  }, [form]);

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        if (!keys.hasJustSent(SEND_KEY)) onSend();
      } else if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) {
        event.preventDefault();
      }
    }
    if (event.key === 'Escape' && onClose !== undefined) {
      event.preventDefault();
      onClose();
    }
  });
  const onKeyOutside = useEffectEvent((event: KeyboardEvent) => {
    if (event.repeat || event.defaultPrevented || keys.rest() === 'all') return;
    const isWithin = (places: string): boolean =>
      event.target instanceof Element && event.target.closest(places) !== null;
    if (event.key === 'Escape' && onClose !== undefined && !isWithin(OWN_ESCAPE)) {
      event.preventDefault();
      onClose();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isWithin(OWN_ENTER)) {
      event.preventDefault();
      focusFirstField(form.current);
    }
  });
  useEffect(() => {
    const element = form.current;
    element?.addEventListener('keydown', onKeyDown);
    window.addEventListener('keydown', onKeyOutside);
    return () => {
      element?.removeEventListener('keydown', onKeyDown);
      window.removeEventListener('keydown', onKeyOutside);
    };
  }, [form]);
  return (
    <form
      ref={form}
      className={className}
      aria-label={label}
      data-tone={tone}
      noValidate
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
    </form>
  );
}
