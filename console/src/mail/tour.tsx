import { useState } from 'react';
import { useUser } from '../app/session.ts';
import { useTexts } from '../app/texts.ts';
import { Button } from '../parts/button.tsx';
import { mailTexts } from './texts.ts';
import styles from './tour.module.css';

/** Shown once to each person in a browser: what makes the page quick. It covers nothing that must be reached. */
export function Tour() {
  const texts = useTexts(mailTexts);
  const key = `atrium-tour-${useUser().id}`;
  const [isShown, setShown] = useState(() => localStorage.getItem(key) === null);
  if (!isShown) return null;
  const end = () => {
    localStorage.setItem(key, 'seen');
    setShown(false);
  };
  return (
    <section className={styles.tour} aria-label={texts.tourTitle}>
      <h2>{texts.tourTitle}</h2>
      <p>{texts.tour1}</p>
      <p>{texts.tour2}</p>
      <p>{texts.tour3}</p>
      <div>
        <Button kind="primary" onPress={end}>
          {texts.tourDone}
        </Button>
      </div>
    </section>
  );
}
