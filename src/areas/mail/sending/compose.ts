import { domainToASCII } from 'node:url';
import { ApiError, notFound } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import type { Principal } from '../../../contract/principal.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { composeMessage, type Draft } from '../../../formats/messages/compose.ts';
import { MAX_MESSAGE_BYTES } from '../../../formats/messages/message.ts';
import { replySubject } from '../../../formats/messages/reply-subject.ts';
import { newId } from '../../../platform/ids.ts';
import type { Database, ReadTransaction } from '../../../storage/database.ts';
import type { DirectoryService } from '../../directory/service.ts';
import type { MessageStaging, StagedMessage } from '../arrival/staging.ts';
import { type Matching, matchBeforeDelivery } from '../filters/match-rules.ts';
import { findMessage } from '../messages/message-store.ts';
import { recordParts } from '../messages/record.ts';
import type { MailboxOwner } from '../owner.ts';
import { distinctAddresses, readAddress } from './recipients.ts';
import { NewMessage } from './schema.ts';

/** A file to be attached. */
export interface AttachedFile {
  filename: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Called after the transaction has ended. The caller reads the content to its end or destroys it. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** The source of the files that `file_ids` names. */
export interface AttachmentSource {
  /** Finds a file that this user may read. Throws ApiError not_found or forbidden. */
  find(tx: ReadTransaction, reader: MailboxOwner, fileId: string): Promise<AttachedFile>;
}

/** The headers of a reply that refer to the answered message. */
interface ReplyHeaders {
  inReplyTo: string;
  references: string[];
  subject: string;
}

/** The fields of the answered message that its reply needs; ids with angle brackets, "" for none. */
interface Answered {
  messageId: string;
  inReplyTo: string;
  references: readonly string[];
  subject: string;
}

/** Enough for any mail program. RFC 5322 sets no limit, and some mail programs never shorten the list. */
const MAX_REFERENCES = 100;

/** Throws ApiError not_found. */
async function findAnswered(tx: ReadTransaction, owner: MailboxOwner, messageId: string): Promise<Answered> {
  const found = await findMessage(tx, owner, messageId);
  if (!found) throw notFound('message', messageId);
  const { message_id, subject } = JSON.parse(`{${found.members}}`);
  const { in_reply_to, references } = recordParts(found.record);
  return { messageId: message_id, inReplyTo: in_reply_to, references, subject };
}

/** RFC 5322, 3.6.4. A reply to a message without a valid Message-ID has neither In-Reply-To nor References. */
export function replyHeaders({ messageId, inReplyTo, references, subject }: Answered): ReplyHeaders {
  const named = { subject: replySubject(subject), inReplyTo: '', references: [] };
  if (!isId(messageId)) return named;
  // "If the parent has no References but an In-Reply-To with a single identifier, that, followed by its Message-ID."
  const before = (references.length > 0 ? references : [inReplyTo]).filter(isId);
  const all = [...new Set([...before.filter((id) => id !== messageId), messageId])];
  const [first = messageId] = all;
  const shortened = all.length > MAX_REFERENCES ? [first, ...all.slice(1 - MAX_REFERENCES)] : all;
  return { ...named, inReplyTo: messageId, references: shortened };
}

/** Rejects ids of other mail programs that must not be copied into a header: controls, spaces, excessive length. */
function isId(id: string): boolean {
  return /^<[\x21-\x3b\x3d\x3f-\x7e]{1,900}>$/.test(id);
}

/** A composed message that waits for the transaction that sends it. */
export interface ComposedMessage extends Received {
  /** The id of the message in the outbox, and the left side of its Message-ID. */
  id: string;
  /** The copy of the sender: its record names the bcc recipients, its bytes do not. */
  staged: StagedMessage;
  /** The address of the sender. */
  sender: string;
  /** All recipient addresses without duplicates. */
  recipients: readonly string[];
  answeredId: string | undefined;
  /** The thread of the draft that it was; a draft is sent even if the message that it answers has gone. */
  draftThread?: string | null;
  /** Milliseconds since the epoch. */
  sentAt: number;
}

/** The dependencies of composing. */
export interface ComposerDependencies {
  database: Database;
  staging: MessageStaging;
  directory: DirectoryService;
  files: AttachmentSource;
  /** The right side of Message-IDs. */
  domain: string;
}

/** The data from the database that composing a message needs. */
interface Context {
  from: Draft['from'];
  reply: ReplyHeaders | undefined;
  files: AttachedFile[];
}

/** Composes a message and stores its bytes. Rejects with ApiError not_found, forbidden or payload_too_large. */
export async function compose(
  dependencies: ComposerDependencies,
  caller: Principal,
  given: NewMessage,
): Promise<ComposedMessage> {
  const id = newId('out');
  const sentAt = Date.now();
  const { staged, sender } = await composeBytes(dependencies, caller, given, {
    messageId: messageIdOf(dependencies, id),
    date: sentAt,
  });
  return addressed(dependencies, { id, staged, sender, sentAt }, given);
}

/** The Message-ID of a message with this id. */
export function messageIdOf({ domain }: Pick<ComposerDependencies, 'domain'>, id: string): string {
  return `<${id}@${domainToASCII(domain)}>`;
}

/** Composes the bytes of a message and stores them, for nobody yet. Rejects as compose. */
export async function composeBytes(
  dependencies: ComposerDependencies,
  caller: Principal,
  given: NewMessage,
  { messageId, date }: { messageId: string; date: number },
): Promise<{ staged: StagedMessage; sender: string }> {
  requireValues(NewMessage, given);
  const context = await dependencies.database.read((tx) => contextOf(tx, dependencies, caller, given));
  refuseTooLarge(context.files);
  const draft = draftOf(given, context, messageId, new Date(date));
  const staged = await dependencies.staging.stage(bounded(await composeMessage(draft)));
  return { staged: asGiven(staged, given), sender: context.from.address };
}

/** Names the recipients of composed bytes, and evaluates their filters. Discards the bytes where that fails. */
export async function addressed(
  dependencies: ComposerDependencies,
  { id, staged, sender, sentAt }: Pick<ComposedMessage, 'id' | 'staged' | 'sender' | 'sentAt'>,
  given: NewMessage,
): Promise<ComposedMessage> {
  const named = [...given.to, ...(given.cc ?? []), ...(given.bcc ?? [])];
  const recipients = distinctAddresses(named.map(readAddress));
  const matching = await matchBeforeSending(dependencies, recipients, staged).catch(async (error) => {
    await staged.discard();
    throw error;
  });
  return {
    id,
    staged: { ...staged, matching },
    sender,
    recipients,
    answeredId: given.reply_to_message_id,
    sentAt,
    discard: () => staged.discard(),
  };
}

/** Evaluates the filters of local recipients before the transaction, which must not wait for a worker thread. */
async function matchBeforeSending(
  { database, directory }: ComposerDependencies,
  recipients: readonly string[],
  staged: StagedMessage,
): Promise<Matching | undefined> {
  const owners = () =>
    database.read(async (tx) => {
      const found = await Promise.all(recipients.map((address) => directory.findRecipient(tx, address)));
      return found.filter((owner) => owner !== undefined);
    });
  return matchBeforeDelivery(database, owners, staged);
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

/**
 * The record shows the text as given, though the composer ends the last line, as a message must; and it names the
 * recipients of bcc, whom the bytes do not name.
 */
export function asGiven(
  staged: StagedMessage,
  { text = '', html = '', bcc = [] }: NewMessage,
): StagedMessage {
  const { parsed } = staged;
  return {
    ...staged,
    parsed: {
      ...parsed,
      text: endedAs(text, parsed.text),
      html: endedAs(html, parsed.html),
      bcc: bcc.map(readAddress),
    },
  };
}

function endedAs(given: string, read: string): string {
  return given !== '' && !/[\r\n]$/.test(given) ? read.replace(/\r?\n$/, '') : read;
}

/** Checks the size before any file is read: base64 turns three bytes into four. */
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
