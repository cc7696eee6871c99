import { domainToASCII } from 'node:url';
import { ApiError, notFound } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import type { Principal } from '../../../contract/principal.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { composeMessage, type Draft } from '../../../formats/messages/compose.ts';
import { MAX_MESSAGE_BYTES, type ParsedMessage } from '../../../formats/messages/message.ts';
import { newId } from '../../../platform/ids.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import type { DirectoryService } from '../../directory/service.ts';
import type { MessageStaging, StagedMessage } from '../arrival/staging.ts';
import { type Matching, matchBefore } from '../filters/matching.ts';
import { findMessage } from '../messages/message-store.ts';
import type { MailboxOwner } from '../owner.ts';
import { distinctAddresses, readAddress } from './recipients.ts';
import { NewMessage } from './schema.ts';

/** A file that is to be attached. */
export interface AttachedFile {
  filename: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Called after the transaction has ended. Whoever does not read it to its end ends it. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** Where the files come from that `file_ids` names. */
export interface AttachmentSource {
  /** A file that this user may read. Throws ApiError not_found or forbidden. */
  find(tx: ReadTransaction, reader: MailboxOwner, fileId: string): Promise<AttachedFile>;
}

/** What a reply says of the message that it answers. */
interface ReplyHeaders {
  inReplyTo: string;
  references: string[];
  subject: string;
}

/** What a reply needs of the message that it answers; ids with their angle brackets, "" for none. */
interface Answered {
  messageId: string;
  inReplyTo: string;
  references: readonly string[];
  subject: string;
}

/** Enough for any reader; RFC 5322 sets no bound, and some mailers never cut the list. */
const MAX_REFERENCES = 100;

/** Throws ApiError not_found. */
async function findAnswered(tx: ReadTransaction, owner: MailboxOwner, messageId: string): Promise<Answered> {
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

/** A message that is composed and waits for the transaction that sends it. */
export interface ComposedMessage extends Received {
  /** Names it on its way out, and is the left side of its Message-ID. */
  id: string;
  /** As its sender has it: with the recipients of the blind copies, which the bytes do not name. */
  staged: StagedMessage;
  /** The address of the sender. */
  sender: string;
  /** Every address once. */
  recipients: readonly string[];
  answeredId: string | undefined;
  /** Milliseconds since the epoch. */
  sentAt: number;
}

/** What composing works with. */
export interface ComposerDependencies {
  database: Database;
  staging: MessageStaging;
  directory: DirectoryService;
  files: AttachmentSource;
  /** The right side of Message-IDs. */
  domain: string;
}

/** What the database knows of a message that is to be composed. */
interface Context {
  from: Draft['from'];
  reply: ReplyHeaders | undefined;
  files: AttachedFile[];
}

/** Composes a message and stores its bytes. Rejects with ApiError not_found, forbidden or payload_too_large. */
export async function compose(
  parts: ComposerDependencies,
  caller: Principal,
  given: NewMessage,
): Promise<ComposedMessage> {
  requireValues(NewMessage, given);
  const context = await parts.database.read((tx) => contextOf(tx, parts, caller, given));
  refuseTooLarge(context.files);
  const sentAt = Date.now();
  const id = newId('out');
  const draft = draftOf(given, context, `<${id}@${domainToASCII(parts.domain)}>`, new Date(sentAt));
  const staged = await parts.staging.stage(bounded(await composeMessage(draft)));
  const bcc = (given.bcc ?? []).map(readAddress);
  const parsed = { ...asGiven(staged.parsed, given), bcc };
  const recipients = distinctAddresses([...draft.to, ...draft.cc, ...bcc]);
  const matching = await matchBeforeSending(parts, recipients, parsed).catch(async (error) => {
    await staged.discard();
    throw error;
  });
  return {
    id,
    staged: { ...staged, parsed, matching },
    sender: context.from.address,
    recipients,
    answeredId: given.reply_to_message_id,
    sentAt,
    discard: () => staged.discard(),
  };
}

/** What the filters of those who are here make of a message that is too large for the transaction to look at. */
async function matchBeforeSending(
  { database, directory }: ComposerDependencies,
  recipients: readonly string[],
  parsed: ParsedMessage,
): Promise<Matching | undefined> {
  const owners = () =>
    database.read(async (tx) => {
      const found = await Promise.all(recipients.map((address) => directory.findRecipient(tx, address)));
      return found.filter((owner) => owner !== undefined);
    });
  return matchBefore(database, owners, parsed);
}

async function contextOf(
  tx: ReadTransaction,
  { directory, files }: ComposerDependencies,
  caller: Principal,
  given: NewMessage,
): Promise<Context> {
  const { name, email } = await directory.getUser(tx, caller.workspaceId, caller.userId);
  const { reply_to_message_id: answeredId, file_ids: fileIds = [] } = given;
  const reply =
    answeredId === undefined ? undefined : replyHeaders(await findAnswered(tx, caller, answeredId));
  const found: AttachedFile[] = [];
  for (const fileId of fileIds) found.push(await files.find(tx, caller, fileId));
  return { from: { name, address: email }, reply, files: found };
}

function draftOf(given: NewMessage, { from, reply, files }: Context, messageId: string, date: Date): Draft {
  return {
    messageId,
    date,
    from,
    to: given.to.map(readAddress),
    cc: (given.cc ?? []).map(readAddress),
    subject: given.subject ?? reply?.subject ?? '',
    text: given.text,
    html: given.html,
    inReplyTo: reply?.inReplyTo ?? '',
    references: reply?.references ?? [],
    attachments: files,
  };
}

/** The composer ends the last line, as a message must; people see what was given. */
function asGiven(parsed: ParsedMessage, { text = '', html = '' }: NewMessage): ParsedMessage {
  return { ...parsed, text: endedAs(text, parsed.text), html: endedAs(html, parsed.html) };
}

function endedAs(given: string, read: string): string {
  return given !== '' && !/[\r\n]$/.test(given) ? read.replace(/\r?\n$/, '') : read;
}

/** Before anything is read: base64 makes four bytes of three. */
function refuseTooLarge(files: readonly AttachedFile[]): void {
  const encoded = files.reduce((sum, { size }) => sum + (size * 4) / 3, 0);
  if (encoded > MAX_MESSAGE_BYTES) throw tooLarge();
}

async function* bounded(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > MAX_MESSAGE_BYTES) throw tooLarge();
    yield chunk;
  }
}

function tooLarge(): ApiError {
  const message = `The message with its files, encoded for mail, is over ${MAX_MESSAGE_BYTES} bytes. Share large files instead.`;
  return new ApiError('payload_too_large', message, { max_size: MAX_MESSAGE_BYTES });
}
