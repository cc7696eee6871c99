import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { useTexts } from '../app/texts.ts';
import styles from './plain-text.module.css';
import { mailTexts } from './texts.ts';

/** The text of a message, with its links: text only, never HTML. */
export function PlainText({ text }: { text: string }) {
  const texts = useTexts(mailTexts);
  if (text.trim() === '') return <p className={styles.empty}>{texts.emptyText}</p>;
  return (
    <div className={styles.text} dir="auto">
      {linked(text)}
    </div>
  );
}

/** An address, or the path of a file or folder on this page, as messages about what is shared have it. */
const LINK =
  /\bhttps?:\/\/[^\s<>"'`]{1,2000}|(?<=\s)\/files\/(?:file|folder)\/[a-z]{1,10}_[0-9a-z]{1,40}(?=\s)/g;

function linked(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(LINK)) {
    const address = withoutPunctuation(found);
    parts.push(<Fragment key={`text ${index}`}>{text.slice(end, index)}</Fragment>);
    parts.push(
      address.startsWith('/') ? (
        <Link key={index} to={address}>
          {address}
        </Link>
      ) : (
        <a key={index} href={address} target="_blank" rel="noopener noreferrer">
          {address}
        </a>
      ),
    );
    end = index + address.length;
  }
  parts.push(text.slice(end));
  return parts;
}

/** What ends a sentence does not belong to its link. */
function withoutPunctuation(address: string): string {
  let end = address.length;
  while (end > 0 && '.,;:!?)]}'.includes(address[end - 1] ?? '')) end--;
  return address.slice(0, end);
}
