import { useRouter } from '@tanstack/react-router';
import { useTexts } from '../app/texts.ts';
import { useUnsavedThings } from '../app/unsaved.ts';
import { Button } from '../parts/button.tsx';
import styles from './kept-notice.module.css';
import { mailTexts } from './texts.ts';

/** Above the drafts: texts that this browser alone has, such as after a crash without a connection. */
export function KeptNotice() {
  const texts = useTexts(mailTexts);
  const router = useRouter();
  const kept = useUnsavedThings().filter(({ lane, withPage }) => lane !== undefined && withPage === 'apart');
  if (kept.length === 0) return null;
  return (
    <section className={styles.notice} aria-label={texts.keptTexts}>
      <p>{texts.keptTexts}</p>
      <ul>
        {kept.map(({ id, label, detail, place }) => (
          <li key={id} className={styles.text}>
            <bdi className={styles.label} title={label()}>
              {label()}
            </bdi>
            {place ? (
              <Button onPress={() => router.history.push(place)}>{texts.openKept}</Button>
            ) : (
              <span className={styles.quiet}>{detail?.()}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
