import { X } from 'lucide-react';
import { useRef, useSyncExternalStore } from 'react';
import { Button, IconButton } from '../parts/button.tsx';
import { useActions } from './actions.ts';
import { frameTexts } from './frame-texts.ts';
import { useTexts } from './texts.ts';
import { type Toast, ToastStore } from './toast-store.ts';
import styles from './toasts.module.css';

/** How long something can be undone, and how long its toast stays unless somebody is at it. */
export const UNDO_MS = 10_000;

const store = new ToastStore(UNDO_MS);

/**
 * Tells what was done, for ten seconds, and for as long as a pointer or the focus is on it. With `undo`, a button and the key z
 * take it back. Returns a function that removes it.
 */
export function showToast(toast: Pick<Toast, 'text' | 'undo' | 'action'> & Partial<Toast>): () => void {
  return store.show({ kind: 'done', ...toast });
}

export function Toasts() {
  const shown = useSyncExternalStore(store.subscribe, store.toasts);
  const texts = useTexts(frameTexts);
  const region = useRef<HTMLElement>(null);
  const before = useFocusBefore();
  const last = shown.findLast((toast) => toast.undo);
  const leave = (toast: Toast, then?: () => void) => {
    before.restore(region.current);
    store.remove(toast.id);
    then?.();
  };
  useActions([
    ...(last
      ? [{ id: 'undo', label: texts.undo, keys: 'z', run: () => leave(last, () => last.undo?.()) }]
      : []),
    ...(shown.length > 0
      ? [
          {
            id: 'notices',
            label: texts.goToNotices,
            keys: 'F6',
            evenInFields: true,
            run: () => region.current?.querySelector('button')?.focus(),
          },
        ]
      : []),
  ]);
  return (
    <section
      ref={region}
      className={styles.region}
      aria-label={texts.notices}
      aria-live="polite"
      onFocus={before.remember}
    >
      {shown.map((toast) => (
        <Card key={toast.id} toast={toast} onLeave={(then) => leave(toast, then)} />
      ))}
    </section>
  );
}

function Card({ toast, onLeave }: { toast: Toast; onLeave(then?: () => void): void }) {
  const texts = useTexts(frameTexts);
  const { id, kind, text, undo, action } = toast;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is not pressed; it stays while somebody is at it
    <div
      className={styles.toast}
      data-kind={kind}
      onPointerEnter={() => store.hold(id, 'pointer')}
      onPointerLeave={() => store.release(id, 'pointer')}
      onFocus={() => store.hold(id, 'focus')}
      onBlur={() => store.release(id, 'focus')}
    >
      <span className={styles.text}>{text}</span>
      {undo && (
        <Button kind="quiet" onPress={() => onLeave(undo)}>
          {texts.undo}
        </Button>
      )}
      {action && (
        <Button kind="quiet" onPress={() => onLeave(action.run)}>
          {action.label}
        </Button>
      )}
      <IconButton label={texts.close} onPress={() => onLeave()}>
        <X />
      </IconButton>
    </div>
  );
}

/** Where the focus was before it came to a toast: it goes back there when the toast goes. */
function useFocusBefore() {
  const before = useRef<Element | null>(null);
  return {
    remember: ({ relatedTarget, currentTarget }: React.FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
    },
    restore: (region: Element | null) => {
      if (region?.contains(document.activeElement) && before.current instanceof HTMLElement)
        before.current.focus();
    },
  };
}
