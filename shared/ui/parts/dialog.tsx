import { CloseButton, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSharedText } from '../i18n/use-text.ts';
import classes from './dialog.module.css';

export interface DialogProps {
  opened: boolean;
  title: string;
  size?: 'sm' | 'lg';
  onClose: () => void;
  children: ReactNode;
}

/** A dialog with a title and a way out. Its head is no banner, so that the page keeps exactly one. */
export function Dialog({ opened, title, size = 'sm', onClose, children }: DialogProps): ReactNode {
  const text = useSharedText();
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size}>
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <Modal.Body>
          <div className={classes['head']}>
            <h2>{title}</h2>
            <CloseButton aria-label={text('dialog.close')} onClick={onClose} />
          </div>
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
