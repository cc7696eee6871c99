import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AppliedFilter, Mailbox, Message } from '../../../client/src/index.ts';
import { useLanguage, useTexts } from '../app/texts.ts';
import { sizeText } from '../parts/size.ts';
import { fullTime } from '../parts/time.ts';
import styles from './letter-details.module.css';
import { type MailTexts, mailTexts } from './texts.ts';

/** Who wrote it, who else got it, when, and why it is here. */
export function LetterDetails({ message }: { message: Message }) {
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const { from, sender, to, cc, bcc, reply_to } = message.addresses;
  const { received } = message;
  return (
    <dl className={styles.details}>
      <People title={texts.from} people={from} />
      <People title={texts.sender} people={sender} />
      <People title={texts.replyTo} people={reply_to} />
      <People title={texts.toTitle} people={to} />
      <People title={texts.cc} people={cc} />
      <People title={texts.bcc} people={bcc} />
      {message.sent_at && <Line title={texts.sentAt}>{fullTime(message.sent_at, language)}</Line>}
      <Line title={texts.received}>{fullTime(message.date, language)}</Line>
      {received && (
        <Line title={texts.arrivedFrom}>
          <span dir="auto">
            {received.envelope_from || '<>'} ({received.remote})
          </span>
        </Line>
      )}
      <Line title={texts.size}>{sizeText(message.size, language)}</Line>
      {message.message_id && (
        <Line title="Message-Id">
          <span dir="ltr">{message.message_id}</span>
        </Line>
      )}
      <Line title={texts.why}>
        {message.applied_filters.length > 0 ? <Why filters={message.applied_filters} /> : texts.noFilter}
      </Line>
    </dl>
  );
}

function Line({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className={styles.line}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function People({ title, people }: { title: string; people: readonly Mailbox[] }) {
  if (people.length === 0) return null;
  return (
    <Line title={title}>
      <ul>
        {people.map(({ name, address }, index) => (
          <li key={`${index} ${address}`} dir="auto">
            {name && <bdi>{name} </bdi>}
            {address && (
              <Link to="/mail/compose/$draftId" params={{ draftId: 'new' }} search={{ to: address }}>
                <bdi>{address}</bdi>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Line>
  );
}

/** The filters that acted when the message came, and what each did. */
export function Why({ filters }: { filters: readonly AppliedFilter[] }) {
  const texts = useTexts(mailTexts);
  return (
    <ul className={styles.why}>
      {filters.map((filter) => (
        <li key={filter.filter_id} dir="auto">
          <Link to="/mail/filters/$" params={{ _splat: filter.filter_id }}>
            <bdi>{texts.filterActed(filter.name)}</bdi>
          </Link>{' '}
          {filter.actions.map((action) => actionText(action, texts)).join(', ')}
        </li>
      ))}
    </ul>
  );
}

function actionText(
  { type, folder = '', flag = '', label = '' }: AppliedFilter['actions'][number],
  texts: MailTexts,
): string {
  switch (type) {
    case 'move':
      return texts.action_move(folder);
    case 'set_flag':
      return texts.action_set_flag(flag);
    case 'add_label':
      return texts.action_add_label(label);
    case 'mark_read':
      return texts.action_mark_read;
    case 'mark_unread':
      return texts.action_mark_unread;
    case 'discard':
      return texts.action_discard;
    default:
      return type;
  }
}
