import { Paperclip, Reply, Star } from 'lucide-react';
import { useLanguage, useTexts } from '../app/texts.ts';
import { fullTime, shortTime } from '../parts/time.ts';
import row from './list-row.module.css';
import styles from './message-row.module.css';
import { type MailRecord, nameIn } from './records.ts';
import { mailTexts } from './texts.ts';

interface MessageRowProps {
  record: MailRecord;
  isSelected: boolean;
  /** Tells to whom it goes instead of who wrote it. */
  isSent: boolean;
  isCompact: boolean;
  onToggle(): void;
  onStar(): void;
}

const MOST_LABELS = 3;

/** A message in a list. */
export function MessageRow({ record, isSelected, isSent, isCompact, onToggle, onStar }: MessageRowProps) {
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const { subject, date, flags, labels, has_attachments, preview } = record;
  const title = subject || texts.noSubject;
  return (
    <div
      className={`${row.row} ${styles.row}`}
      data-unread={!flags.read || undefined}
      data-selected={isSelected || undefined}
      data-compact={isCompact || undefined}
    >
      <label className={styles.check}>
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={texts.select(title)}
          checked={isSelected}
          onChange={onToggle}
        />
        {!flags.read && <span className={styles.dot} role="img" aria-label={texts.isUnread} />}
      </label>
      <Person record={record} isSent={isSent} />
      <time className={row.time} dateTime={date} title={fullTime(date, language)}>
        {shortTime(date, language)}
      </time>
      <span className={styles.line}>
        {flags.answered && <Reply role="img" aria-label={texts.answered} />}
        <span className={`${row.cut} ${row.strong} ${styles.subject}`} dir="auto" title={title}>
          {title}
        </span>
        {isCompact && preview && (
          <span className={`${row.cut} ${styles.beside}`} dir="auto">
            {preview}
          </span>
        )}
        <Labels labels={labels} />
        {has_attachments && <Paperclip role="img" aria-label={texts.hasAttachments} />}
      </span>
      {!isCompact && (
        <span className={`${row.cut} ${styles.preview}`} dir="auto">
          {preview}
        </span>
      )}
      <button
        type="button"
        tabIndex={-1}
        className={styles.star}
        aria-label={flags.starred ? texts.doUnstar : texts.doStar}
        aria-pressed={flags.starred}
        onClick={onStar}
      >
        <Star />
      </button>
    </div>
  );
}

/** The first of its labels. */
function Labels({ labels }: Pick<MailRecord, 'labels'>) {
  return labels.slice(0, MOST_LABELS).map((label) => (
    <span key={label} className={styles.label} dir="auto" title={label}>
      {label}
    </span>
  ));
}

/** Who wrote it; in lists of what was sent, to whom it goes. */
function Person({ record, isSent }: Pick<MessageRowProps, 'record' | 'isSent'>) {
  const texts = useTexts(mailTexts);
  const { from, recipients } = record;
  const isTo = isSent && recipients !== undefined;
  const names = isTo ? recipients.first.map(nameIn).join(', ') : nameIn(from);
  const title = isTo ? recipients.first.join(', ') : from;
  const rest = isTo && recipients.more > 0 ? texts.others(recipients.more) : '';
  return (
    <span className={`${row.cut} ${row.strong} ${styles.from}`} dir="auto" title={`${title} ${rest}`.trim()}>
      {isTo && names !== '' && <span className={styles.to}>{texts.toTitle}: </span>}
      {names || (isTo ? texts.noRecipients : texts.noSender)} {rest}
    </span>
  );
}
