import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Message } from '../../../client/src/index.ts';
import { useTexts } from '../app/texts.ts';
import { ErrorPlace } from '../parts/place.tsx';
import { Attachments } from './attachments.tsx';
import { InvitationCard } from './invitation-card.tsx';
import styles from './letter.module.css';
import { LetterDetails, Why } from './letter-details.tsx';
import { LetterFrame } from './letter-frame.tsx';
import { LetterHeader } from './letter-header.tsx';
import { messageQuery } from './mail-cache.ts';
import { PlainText } from './plain-text.tsx';
import type { MailRecord } from './records.ts';
import { SourceDialog } from './source-dialog.tsx';
import { mailTexts } from './texts.ts';
import type { MailActions } from './use-mail-actions.ts';

interface LetterProps {
  record: MailRecord;
  /** No other message of the conversation is open: it gets the room. */
  isAlone: boolean;
  isCollapsible: boolean;
  actions: MailActions;
  onCollapse(): void;
}

/** One open message of a conversation. */
export function Letter({ record, isAlone, isCollapsible, onCollapse }: LetterProps) {
  const message = useQuery(messageQuery(record.id));
  const [areDetailsShown, setDetailsShown] = useState(false);
  const [isPlain, setPlain] = useState(false);
  const [isSourceShown, setSourceShown] = useState(false);
  return (
    <article
      className={styles.letter}
      data-message={record.id}
      data-alone={isAlone || undefined}
      data-letter={message.data && 'shown'}
    >
      <LetterHeader
        record={record}
        message={message.data}
        areDetailsShown={areDetailsShown}
        isPlain={isPlain}
        onDetails={setDetailsShown}
        onPlain={setPlain}
        onSource={() => setSourceShown(true)}
        onCollapse={isCollapsible ? onCollapse : undefined}
      />
      {message.data && (
        <LetterContent
          message={message.data}
          areDetailsShown={areDetailsShown}
          isPlain={isPlain}
          isAlone={isAlone}
        />
      )}
      {message.error && !message.data && (
        <ErrorPlace error={message.error} onRetry={() => void message.refetch()} />
      )}
      <SourceDialog id={record.id} isOpen={isSourceShown} onClose={() => setSourceShown(false)} />
    </article>
  );
}

interface BodyProps {
  message: Message;
  isPlain: boolean;
  isAlone: boolean;
}

function LetterContent({ areDetailsShown, ...body }: BodyProps & { areDetailsShown: boolean }) {
  const { message } = body;
  return (
    <>
      {areDetailsShown && <LetterDetails message={message} />}
      {!areDetailsShown && message.applied_filters.length > 0 && (
        <div className={styles.why}>
          <Why filters={message.applied_filters} />
        </div>
      )}
      <InvitationCard message={message} />
      <Body {...body} />
      <Attachments message={message} />
    </>
  );
}

function Body({ message, isPlain, isAlone }: BodyProps) {
  const texts = useTexts(mailTexts);
  return (
    <>
      {message.html !== '' && !isPlain ? (
        <LetterFrame message={message} isAlone={isAlone} />
      ) : (
        <PlainText text={message.text} />
      )}
      {message.truncated && <p className={styles.note}>{texts.truncated}</p>}
    </>
  );
}
