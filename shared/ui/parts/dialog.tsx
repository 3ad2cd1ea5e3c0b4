import { CloseButton, Modal } from '@mantine/core';
import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { giveFocusBack } from '../keys/lost-focus.ts';
import { useSharedText } from '../i18n/use-text.ts';
import { focusFirstField, useTakesKeys } from '../keys/takes-keys.tsx';
import classes from './dialog.module.css';

export interface DialogProps {
  opened: boolean;
  title: string;
  size?: 'sm' | 'lg';
  /** False while its content needs Escape itself. */
  closesOnEscape?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with a title and a close button. Its head is no banner, so that the page keeps exactly one. */
export function Dialog({
  opened,
  title,
  size = 'sm',
  closesOnEscape = true,
  onClose,
  children,
}: DialogProps): ReactNode {
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size} closeOnEscape={closesOnEscape} returnFocus={false}>
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <Modal.Body>
          <Head title={title} onClose={onClose} />
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Mounted while the dialog is open: it takes the keys, focuses the first field, and gives the focus back. */
function Head({ title, onClose }: Pick<DialogProps, 'title' | 'onClose'>): ReactNode {
  const text = useSharedText();
  const head = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useTakesKeys('dialog');
  useLayoutEffect(() => {
    const opener = document.activeElement;
    // Not its button: a space that was meant for a text would close it.
    focusFirstField(head.current?.parentElement ?? null, heading.current);
    return () => queueMicrotask(() => giveFocusBack(opener));
  }, []);
  return (
    <div ref={head} className={classes['head']}>
      <h2 ref={heading} tabIndex={-1}>
        {title}
      </h2>
      <CloseButton aria-label={text('dialog.close')} onClick={onClose} />
    </div>
  );
}
