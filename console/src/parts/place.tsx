import type { ReactNode } from 'react';
import { AtriumError } from '../../../client/src/index.ts';
import { reasonOf } from '../app/refusals.ts';
import { catalogue, useTexts } from '../app/texts.ts';
import { Button } from './button.tsx';
import styles from './place.module.css';

/** What an empty list shows: what it is for, and what to do first. */
export function EmptyPlace({
  icon,
  title,
  children,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
}) {
  return (
    <div className={styles.place}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <h2>{title}</h2>
      {children}
    </div>
  );
}

const placeTexts = catalogue({
  en: {
    failed: 'This cannot be shown now',
    unreachable: 'The server cannot be reached. This page tries again by itself.',
    again: 'Try again',
    goneTitle: 'There is nothing here',
    gone: 'It is not there any more, or it is not shared with you.',
  },
  de: {
    failed: 'Das lässt sich gerade nicht anzeigen',
    unreachable: 'Der Server ist nicht erreichbar. Die Seite versucht es von selbst weiter.',
    again: 'Noch einmal versuchen',
    goneTitle: 'Hier ist nichts',
    gone: 'Das gibt es nicht mehr, oder es ist nicht für dich freigegeben.',
  },
});

/** What a list or page shows that could not be read. */
export function ErrorPlace({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const texts = useTexts(placeTexts);
  // To try again would find nothing again.
  if (isGone(error))
    return (
      <div className={styles.place} role="alert">
        <h2>{texts.goneTitle}</h2>
        <p>{texts.gone}</p>
      </div>
    );
  return (
    <div className={styles.place} role="alert">
      <h2>{texts.failed}</h2>
      <p>{messageOf(error, texts.unreachable)}</p>
      {onRetry && <Button onPress={onRetry}>{texts.again}</Button>}
    </div>
  );
}

function isGone(error: unknown): boolean {
  return error instanceof AtriumError && error.status === 404;
}

/** Why it was refused, where the server has answered. */
export function messageOf(error: unknown, unreachable: string): string {
  return error instanceof AtriumError ? reasonOf(error) : unreachable;
}
