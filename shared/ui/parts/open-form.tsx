import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  type ReactNode,
  type RefObject,
  type SubmitEvent,
} from 'react';
import { focusFirstField, useTakesKeys } from '../keys/takes-keys.tsx';

export interface OpenFormProps {
  ref?: RefObject<HTMLFormElement | null>;
  /** Names the form. */
  label: string;
  className?: string | undefined;
  tone?: string;
  /** False where it was open before its screen came into view: keys that walk are not to end in it. */
  takesFocus?: boolean;
  onSend: () => void;
  /** Escape closes it; absent where something around it is closed instead. */
  onClose?: () => void;
  children: ReactNode;
}

/**
 * A form that opens: it takes the focus and lets the shortcuts rest. It is sent by its button or Ctrl+Enter, never by
 * an Enter in a field, so that words that were meant for another place send nothing.
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
  useTakesKeys('form');
  const begin = useEffectEvent(() => {
    if (takesFocus) focusFirstField(form.current);
  });
  useLayoutEffect(() => begin(), []);

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (event.key === 'Enter') {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        onSend();
      } else if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) {
        event.preventDefault();
      }
    }
    if (event.key === 'Escape' && onClose !== undefined) {
      event.preventDefault();
      onClose();
    }
  });
  useEffect(() => {
    const element = form.current;
    element?.addEventListener('keydown', onKeyDown);
    return () => element?.removeEventListener('keydown', onKeyDown);
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
