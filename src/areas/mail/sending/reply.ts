import { notFound } from '../../../contract/errors.ts';
import type { ReadTransaction } from '../../../storage/database.ts';
import { findMessage } from '../messages/message-store.ts';
import type { MailboxOwner } from '../owner.ts';

/** What a reply says of the message that it answers. */
export interface ReplyHeaders {
  inReplyTo: string;
  references: string[];
  subject: string;
}

/** What a reply needs of the message that it answers; ids with their angle brackets, "" for none. */
export interface Answered {
  messageId: string;
  inReplyTo: string;
  references: readonly string[];
  subject: string;
}

/** Enough for any reader; RFC 5322 sets no bound, and some mailers never cut the list. */
const MAX_REFERENCES = 100;

/** Throws ApiError not_found. */
export async function findAnswered(
  tx: ReadTransaction,
  owner: MailboxOwner,
  messageId: string,
): Promise<Answered> {
  const found = await findMessage(tx, owner, messageId);
  if (!found) throw notFound('message', messageId);
  const { message_id, subject, in_reply_to, references } = JSON.parse(`{${found.members}}`);
  return { messageId: message_id, inReplyTo: in_reply_to, references, subject };
}

/** RFC 5322, 3.6.4. A message without an id cannot be named, so a reply to it names none. */
export function replyHeaders({ messageId, inReplyTo, references, subject }: Answered): ReplyHeaders {
  const named = { subject: replySubject(subject), inReplyTo: '', references: [] };
  if (!isId(messageId)) return named;
  // "If the parent has no References but an In-Reply-To with a single identifier, that, followed by its Message-ID."
  const before = (references.length > 0 ? references : [inReplyTo]).filter(isId);
  const all = [...new Set([...before.filter((id) => id !== messageId), messageId])];
  const [first = messageId] = all;
  const kept = all.length > MAX_REFERENCES ? [first, ...all.slice(1 - MAX_REFERENCES)] : all;
  return { ...named, inReplyTo: messageId, references: kept };
}

/** RFC 5322, 3.6.5: "Re: " stands once. */
function replySubject(subject: string): string {
  const oneLine = subject.replace(/\p{Cc}+/gu, ' ');
  return /^re:/i.test(oneLine) ? oneLine : `Re: ${oneLine}`.trimEnd();
}

/** Ids that others wrote may hold what no header of ours should. */
function isId(id: string): boolean {
  return /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(id);
}
