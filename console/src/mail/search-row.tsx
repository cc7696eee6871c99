import { File, FileText, Mail, Paperclip, Sheet, Star, UserRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../app/texts.ts';
import { fullTime, shortTime } from '../parts/time.ts';
import shared from './list-row.module.css';
import type { FoundRow } from './records.ts';
import { nameIn } from './records.ts';
import styles from './search-row.module.css';
import type { Kind } from './search-rows.ts';
import { mailTexts } from './texts.ts';

const ICONS: Record<Kind, ReactNode> = {
  message: <Mail />,
  contact: <UserRound />,
  file: <File />,
  document: <FileText />,
  spreadsheet: <Sheet />,
};

/** Something that a search has found. */
export function SearchRow({ row }: { row: FoundRow }) {
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const { hit, record } = row;
  const from = record && nameIn(record.from);
  const title = hit.title || texts.noSubject;
  return (
    <div className={`${shared.row} ${styles.row}`} data-unread={(record && !record.flags.read) || undefined}>
      <span className={styles.icon} role="img" aria-label={texts[`kind_${hit.kind}`]}>
        {ICONS[hit.kind]}
      </span>
      <span className={`${shared.cut} ${shared.strong} ${styles.title}`} dir="auto" title={title}>
        {title}
      </span>
      <time className={shared.time} dateTime={hit.at} title={fullTime(hit.at, language)}>
        {shortTime(hit.at, language)}
      </time>
      <span className={`${shared.cut} ${styles.snippet}`} dir="auto">
        {from && <span className={styles.from}>{from} </span>}
        <Highlighted text={hit.snippet} highlights={hit.highlights} />
      </span>
      <span className={styles.marks}>
        {record?.has_attachments && <Paperclip role="img" aria-label={texts.hasAttachments} />}
        {record?.flags.starred && <Star className={styles.starred} role="img" aria-label={texts.starred} />}
      </span>
    </div>
  );
}

/** A text with some of its parts marked: texts only, never HTML. `highlights` are beginnings and lengths, in order. */
export function Highlighted({
  text,
  highlights,
}: {
  text: string;
  highlights: readonly (readonly number[])[];
}) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const [begin = 0, length = 0] of highlights) {
    if (begin < end) continue;
    parts.push(text.slice(end, begin), <mark key={begin}>{text.slice(begin, begin + length)}</mark>);
    end = begin + length;
  }
  parts.push(text.slice(end));
  return <>{parts}</>;
}
