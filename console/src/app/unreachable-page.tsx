import { CloudOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../parts/button.tsx';
import { EmptyPlace } from '../parts/place.tsx';
import { countKeptWrites } from './kept-writes.ts';
import { session } from './session.ts';
import { catalogue, plural, useTexts } from './texts.ts';
import styles from './unreachable-page.module.css';

const texts = catalogue({
  en: {
    title: 'The server cannot be reached',
    text: 'This page goes on by itself as soon as it can.',
    kept: (n: number) =>
      plural(n, '1 change is not saved yet.', '# changes are not saved yet.') +
      ' This browser keeps what you did, and sends it once, when its session goes on.',
    again: 'Try now',
  },
  de: {
    title: 'Der Server ist nicht erreichbar',
    text: 'Die Seite macht von selbst weiter, sobald es geht.',
    kept: (n: number) =>
      plural(n, '1 Änderung ist noch nicht gespeichert.', '# Änderungen sind noch nicht gespeichert.') +
      ' Dieser Browser bewahrt auf, was du getan hast, und sendet es genau einmal, wenn die Sitzung weitergeht.',
    again: 'Jetzt versuchen',
  },
});

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** What a page shows that was opened while no server answers: what waits in this browser. It tries again by itself. */
export function UnreachablePage() {
  const t = useTexts(texts);
  const [count, setCount] = useState(0);
  useEffect(() => {
    void countKeptWrites().then(setCount);
  }, []);
  useEffect(tryAgainAndAgain, []);
  return (
    <main className={styles.page}>
      <EmptyPlace icon={<CloudOff />} title={t.title}>
        {count > 0 && (
          <p className={styles.kept} role="status">
            {t.kept(count)}
          </p>
        )}
        <p>{t.text}</p>
        <Button onPress={() => void session.start()}>{t.again}</Button>
      </EmptyPlace>
    </main>
  );
}

/** With longer and longer pauses; at once when the network is back. Returns a function that ends it. */
function tryAgainAndAgain(): () => void {
  let pause = FIRST_PAUSE_MS;
  let timer: ReturnType<typeof setTimeout>;
  const wait = () => {
    timer = setTimeout(() => void session.start().then(wait), pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  };
  const now = () => void session.start();
  wait();
  addEventListener('online', now);
  return () => {
    clearTimeout(timer);
    removeEventListener('online', now);
  };
}
