import type { ErrorComponentProps } from '@tanstack/react-router';
import { CircleX } from 'lucide-react';
import { Button } from '../parts/button.tsx';
import { EmptyPlace } from '../parts/place.tsx';
import styles from './failed-page.module.css';
import { catalogue, useTexts } from './texts.ts';

const texts = catalogue({
  en: {
    title: 'This page cannot be shown',
    text: 'Nothing that was saved is lost. If it fails again after loading, tell the people who run this server:',
    again: 'Load the page again',
  },
  de: {
    title: 'Diese Seite lässt sich nicht anzeigen',
    text: 'Nichts Gespeichertes ist verloren. Scheitert es nach dem Laden wieder, sag es denen, die diesen Server betreiben:',
    again: 'Seite neu laden',
  },
});

/** Stands in place of a page that threw, or whose script is not to be had, as after an upgrade of the server. */
export function FailedPage({ error }: ErrorComponentProps) {
  const t = useTexts(texts);
  return (
    <div className={styles.page} role="alert">
      <EmptyPlace icon={<CircleX />} title={t.title}>
        <p>{t.text}</p>
        <code className={styles.reason}>{error instanceof Error ? error.message : String(error)}</code>
        <Button onPress={() => location.reload()}>{t.again}</Button>
      </EmptyPlace>
    </div>
  );
}
