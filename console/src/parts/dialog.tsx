import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { catalogue, useTexts } from '../app/texts.ts';
import { Button, IconButton } from './button.tsx';
import styles from './dialog.module.css';

const dialogTexts = catalogue({
  en: { close: 'Close', cancel: 'Cancel' },
  de: { close: 'Schließen', cancel: 'Abbrechen' },
});

interface DialogProps {
  title: string;
  isOpen: boolean;
  onClose(): void;
  /** Default: 480 pixels. */
  size?: 'normal' | 'wide';
  /** Buttons at the lower end. */
  footer?: ReactNode;
  children: ReactNode;
}

/** A dialog above the page. It is closed by Escape, the button, and a press outside. */
export function Dialog({ title, isOpen, onClose, size = 'normal', footer, children }: DialogProps) {
  const texts = useTexts(dialogTexts);
  const dialog = useRef<HTMLElement>(null);
  // Where what has the focus goes away, as a button does with its row, Firefox tells nobody, and Escape would be the page's.
  useEffect(() => {
    if (isOpen && document.activeElement === document.body) dialog.current?.focus();
  });
  return (
    <ModalOverlay
      className={styles.overlay ?? ''}
      isOpen={isOpen}
      isDismissable
      onOpenChange={(open) => !open && onClose()}
    >
      <Modal className={`${styles.modal} ${styles[size]}`}>
        <AriaDialog ref={dialog} className={styles.dialog ?? ''}>
          <header className={styles.header}>
            <Heading slot="title" className={styles.title ?? ''}>
              {title}
            </Heading>
            <IconButton label={texts.close} onPress={onClose}>
              <X />
            </IconButton>
          </header>
          <div className={styles.body}>{children}</div>
          {footer && <footer className={styles.footer}>{footer}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface ConfirmProps {
  title: string;
  /** What happens, and what cannot be undone. */
  text: string;
  /** The word of the button that does it. */
  confirm: string;
  isOpen: boolean;
  onConfirm(): void;
  onClose(): void;
}

/** Asks before something that cannot be undone. */
export function Confirm({ title, text, confirm, isOpen, onConfirm, onClose }: ConfirmProps) {
  const texts = useTexts(dialogTexts);
  const both = () => {
    onClose();
    onConfirm();
  };
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{texts.cancel}</Button>
          <Button kind="danger" onPress={both} autoFocus>
            {confirm}
          </Button>
        </>
      }
    >
      <p>{text}</p>
    </Dialog>
  );
}
