import { composeMessage } from '../../../formats/messages/compose.ts';
import { newId } from '../../../platform/ids.ts';
import type { MailboxOwner } from '../owner.ts';
import { addressed, type ComposedMessage, type ComposerDependencies, messageIdOf } from './compose.ts';
import { namedProblems, readAddress, unknownRecipient } from './recipients.ts';

/** A message that another area sends in the name of a user: a text, and an iCalendar object beside it (RFC 6047). */
export interface Notice {
  /** Bare addresses. */
  to: readonly string[];
  subject: string;
  text: string;
  calendar: { method: string; text: string };
}

/** Composes a notice and stores its bytes. Rejects with ApiError unknown_recipient for what is no address of mail. */
export async function composeNotice(
  dependencies: ComposerDependencies,
  { workspaceId, userId }: MailboxOwner,
  { to, subject, text, calendar }: Notice,
): Promise<ComposedMessage> {
  const { database, directory, staging } = dependencies;
  const unfit = to.filter((address) => namedProblems({ to: [address] }).length > 0);
  if (unfit.length > 0) throw unknownRecipient(unfit);
  const { name, email } = await database.read((tx) => directory.getUser(tx, workspaceId, userId));
  const id = newId('out');
  const sentAt = Date.now();
  const message = await composeMessage({
    messageId: messageIdOf(dependencies, id),
    date: new Date(sentAt),
    from: { name, address: email },
    to: to.map(readAddress),
    cc: [],
    subject,
    text,
    html: undefined,
    calendar,
    inReplyTo: '',
    references: [],
    attachments: [],
  });
  const staged = await staging.stage(message);
  return addressed(dependencies, { id, staged, sender: email, sentAt }, { to: [...to] });
}
