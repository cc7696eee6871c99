import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CalendarDays } from 'lucide-react';
import { AtriumError, type Invitation, type Message } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import { useChanges } from '../app/live-changes.ts';
import { outbox } from '../app/outbox.ts';
import { reasonOf } from '../app/refusals.ts';
import { usePermission } from '../app/session.ts';
import { type Language, localeOf, useLanguage, useTexts } from '../app/texts.ts';
import { showToast } from '../app/toasts.tsx';
import { Button } from '../parts/button.tsx';
import styles from './invitation-card.module.css';
import { calendarPart, type NamedEvent, namedEvent } from './named-event.ts';
import { mailTexts } from './texts.ts';

/** An invitation that came by mail and that the calendar has: it is answered here. */
export function InvitationCard({ message }: { message: Message }) {
  const texts = useTexts(mailTexts);
  const mayRead = usePermission('calendar.events.read');
  const part = calendarPart(message);
  if (!mayRead || !part) return null;
  return <CardOf key={message.id} messageId={message.id} attachmentId={part} title={texts.invitation} />;
}

interface CardProps {
  messageId: string;
  attachmentId: string;
  title: string;
}

function CardOf({ messageId, attachmentId, title }: CardProps) {
  const texts = useTexts(mailTexts);
  const language = useLanguage();
  const mayAnswer = usePermission('calendar.events.write');
  const { invitation, answer } = useInvitation(messageId, attachmentId);
  if (!invitation) return null;
  return (
    <section className={styles.card} aria-label={title}>
      <CalendarDays aria-hidden="true" />
      <div className={styles.what}>
        <p className={styles.when}>{timesOf(invitation, language)}</p>
        <p className={styles.note}>
          {invitation.status === 'cancelled' ? texts.cancelled : texts[`answer_${invitation.response}`]}
          {invitation.recurrence.length > 0 && ` · ${texts.repeats}`}
        </p>
        <p className={styles.note}>{texts.invitationNote}</p>
      </div>
      {mayAnswer && invitation.status !== 'cancelled' && (
        <Answers invitation={invitation} onAnswer={(response) => void answer(invitation, response)} />
      )}
    </section>
  );
}

type Answer = 'accepted' | 'tentative' | 'declined';

/** The invitation that an attachment names, kept up to date, and how it is answered. */
function useInvitation(messageId: string, attachmentId: string) {
  const texts = useTexts(mailTexts);
  const queries = useQueryClient();
  const key = ['mail', 'invitation', messageId];
  const { data: invitation } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      const event = namedEvent(
        await (await api.mail.getAttachment(messageId, attachmentId, { signal })).text(),
      );
      return event ? findInvitation(event, signal) : null;
    },
    retry: false,
  });
  useChanges(['event.'], () => void queries.invalidateQueries({ queryKey: key }));
  const answer = async (answered: Invitation, response: Answer) => {
    try {
      const { done } = await outbox.add({
        call: (recording) => recording.calendar.respondToEvent(answered.id, { response }),
        label: texts.answeredInvitation,
        lane: 'mail',
      });
      // Not before it is kept: whoever reads it may close the page.
      queries.setQueryData(key, { ...answered, response });
      await done;
      showToast({ text: texts.answeredInvitation });
    } catch (error) {
      void queries.invalidateQueries({ queryKey: key });
      const reason = error instanceof AtriumError ? reasonOf(error) : '';
      showToast({ text: `${texts.failed} ${reason}`, kind: 'problem' });
    }
  };
  return { invitation, answer };
}

function Answers({ invitation, onAnswer }: { invitation: Invitation; onAnswer(response: Answer): void }) {
  const texts = useTexts(mailTexts);
  return (
    <div className={styles.answers}>
      <Button kind={kindOf(invitation, 'accepted')} onPress={() => onAnswer('accepted')}>
        {texts.accept}
      </Button>
      <Button kind={kindOf(invitation, 'tentative')} onPress={() => onAnswer('tentative')}>
        {texts.maybe}
      </Button>
      <Button kind={kindOf(invitation, 'declined')} onPress={() => onAnswer('declined')}>
        {texts.decline}
      </Button>
    </div>
  );
}

function kindOf({ response }: Invitation, own: Invitation['response']): 'primary' | 'plain' {
  return response === own ? 'primary' : 'plain';
}

const DAY_MS = 86_400_000;

/** The invitation of an event that a message names, in some days around the time that it names. */
async function findInvitation({ uid, at }: NamedEvent, signal: AbortSignal): Promise<Invitation | null> {
  const query = {
    start: new Date(at - 2 * DAY_MS).toISOString(),
    end: new Date(at + 2 * DAY_MS).toISOString(),
    limit: 100,
  };
  for await (const invitation of api.calendar.listInvitations(query, { signal }))
    if (invitation.id === uid) return invitation;
  return null;
}

function timesOf({ starts_at, ends_at, all_day }: Invitation, language: Language): string {
  const options: Intl.DateTimeFormatOptions = all_day
    ? { dateStyle: 'full', timeZone: 'UTC' }
    : { dateStyle: 'full', timeStyle: 'short' };
  // The end of whole days is exclusive.
  const end = Date.parse(ends_at) - (all_day ? DAY_MS : 0);
  return new Intl.DateTimeFormat(localeOf(language), options).formatRange(Date.parse(starts_at), end);
}
