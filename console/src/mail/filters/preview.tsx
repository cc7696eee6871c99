import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useState } from 'react';
import type { FilterRule } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';
import { useLanguage, useTexts } from '../../app/texts.ts';
import { ErrorPlace } from '../../parts/place.tsx';
import { shortTime } from '../../parts/time.ts';
import styles from './filters.module.css';
import { conditionsOf, type FilterForm } from './rule.ts';
import { filterTexts } from './texts.ts';

/** The server is asked after this pause in typing. */
const PAUSE_MS = 250;

/** Which of the mail that is there the conditions match, while they are written. */
export function Preview({ form }: { form: FilterForm }) {
  const texts = useTexts(filterTexts);
  const language = useLanguage();
  const rule = usePaused(JSON.stringify({ match: form.match, conditions: conditionsOf(form) }));
  const { data, error, isFetching } = usePreview(JSON.parse(useDeferredValue(rule)));
  return (
    <section className={styles.preview} aria-label={texts.matchesTitle}>
      <h2>{texts.matchesTitle}</h2>
      <p role="status" className={styles.count} aria-busy={isFetching}>
        {data ? texts.matches(data.matched, data.scanned) : conditionsOf(form).length > 0 ? '' : texts.fillIn}
      </p>
      {error && <ErrorPlace error={error} />}
      <ul className={styles.messages}>
        {data?.messages.map(({ id, subject, from, date }) => (
          <li key={id} className={styles.message}>
            <bdi className={styles.from} title={from}>
              {from}
            </bdi>
            <time className={styles.time} dateTime={date}>
              {shortTime(date, language)}
            </time>
            <bdi className={styles.subject} title={subject}>
              {subject || texts.noSubject}
            </bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** How many messages a rule matches, in a folder or everywhere. What it does is left out: it changes nothing of that. */
export function usePreview(
  rule: Pick<FilterRule, 'match' | 'conditions'>,
  folderId?: string,
  isWanted = true,
) {
  return useQuery({
    queryKey: ['messages', 'filter-preview', folderId, rule],
    queryFn: ({ signal }) =>
      api.mail.previewMailFilter(
        {
          rule: { ...rule, actions: [{ type: 'mark_read' }] },
          ...(folderId !== undefined && { folder_id: folderId }),
        },
        { signal },
      ),
    enabled: isWanted && rule.conditions.length > 0,
    placeholderData: rule.conditions.length > 0 ? keepPreviousData : undefined,
  });
}

function usePaused(value: string): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}
