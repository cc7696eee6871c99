import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { release, takeOver } from '../../../blobs/staging.ts';
import { JsonText, Tagged } from '../../../contract/answers.ts';
import { ApiError, notFound } from '../../../contract/errors.ts';
import type { Received } from '../../../contract/operation.ts';
import { requireState, weighTag } from '../../../contract/preconditions.ts';
import type { Principal } from '../../../contract/principal.ts';
import { requireValues } from '../../../contract/required-values.ts';
import { newId } from '../../../platform/ids.ts';
import type { ReadTransaction, WriteTransaction } from '../../../storage/database.ts';
import { appendMessage } from '../arrival/appending.ts';
import type { StagedMessage } from '../arrival/staging.ts';
import { expungeMessage } from '../changes/expunge.ts';
import { flagSet } from '../changes/flags.ts';
import { fullRecord, type ReadBytes, readBytes } from '../messages/full-record.ts';
import { findMessage, findSummary, type StoredRecord } from '../messages/message-store.ts';
import { recordMembers, summaryMembers } from '../messages/record.ts';
import { emitMessages, type MailboxOwner, mailboxLock } from '../owner.ts';
import { type ComposerDependencies, composeBytes, messageIdOf } from '../sending/compose.ts';
import type { NewMessage } from '../sending/schema.ts';
import { type DraftRow, findDraft, insertDraft, updateDraft } from './draft-store.ts';
import { DraftFields } from './schema.ts';

/** A composed draft that waits for its transaction. */
export interface ComposedDraft extends Received {
  staged: StagedMessage;
  /** The stored record of its message, and what its bytes tell beside. */
  record: string;
  bytes: ReadBytes;
}

/** A draft is read, so that it is never unread mail. */
const DRAFT = flagSet(['read', 'draft']);

/** Composes a new draft and stores its bytes. Rejects with ApiError not_found, forbidden or payload_too_large. */
export function composeNew(
  dependencies: ComposerDependencies,
  caller: Principal,
  given: DraftFields,
): Promise<ComposedDraft> {
  return composeDraft(dependencies, caller, given, messageIdOf(dependencies, newId('out')));
}

/**
 * Composes a draft anew, under its Message-ID. Rejects as composeNew, and with ApiError not_found, state_mismatch or
 * draft_sending where it cannot be replaced.
 */
export async function composeAgain(
  dependencies: ComposerDependencies,
  caller: Principal,
  draftId: string,
  { headers, given }: { headers: IncomingHttpHeaders; given: DraftFields },
): Promise<ComposedDraft> {
  const draft = await dependencies.database.read(async (tx) => {
    const found = await getDraft(tx, caller, draftId);
    await requireChangeable(tx, found, headers);
    return found;
  });
  const { message_id: messageId } = JSON.parse(`{${draft.summary}}`);
  return composeDraft(dependencies, caller, given, messageId);
}

async function composeDraft(
  dependencies: ComposerDependencies,
  caller: Principal,
  given: DraftFields,
  messageId: string,
): Promise<ComposedDraft> {
  requireValues(DraftFields, given);
  const message = sendable(given);
  const { staged } = await composeBytes(dependencies, caller, message, { messageId, date: Date.now() });
  const record = recordMembers(staged.parsed);
  const discard = () => staged.discard();
  try {
    return { staged, record, bytes: await readBytes(dependencies.staging, staged.location, record), discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

/** The message that a draft becomes. */
export function sendable(given: DraftFields): NewMessage {
  const { to = [], cc, bcc, subject, text, html, file_ids, reply_to_message_id } = given;
  return { to, cc, bcc, subject, text, html, file_ids, reply_to_message_id };
}

/** Keeps a composed draft in Drafts; returns it. Throws ApiError not_found where the message that it answers has gone. */
export async function createDraft(
  tx: WriteTransaction,
  owner: MailboxOwner,
  given: DraftFields,
  { staged, record, bytes }: ComposedDraft,
): Promise<JsonText> {
  await tx.lock(mailboxLock(owner));
  const stored = await appendMessage(
    tx,
    owner,
    {
      folderId: 'drafts',
      flags: DRAFT,
      labels: [],
      // Its headers join nothing before it is sent: a reply that is given up must not connect conversations.
      threading: false,
      threadId: (await answeredThread(tx, owner, given)) ?? newId('thr'),
      deliveredAt: Date.now(),
      isDelivery: true,
    },
    staged,
    record,
  );
  const draft = { number: stored.number, fields: fieldsJson(given), state: newState() };
  await insertDraft(tx, owner, draft);
  return draftJson({ ...draft, id: stored.id }, await getStored(tx, owner, stored.id), bytes);
}

/**
 * A draft under its state, or only the state where the client has it. Reads in a transaction of its own, and the bytes
 * after it. Rejects with ApiError not_found or state_mismatch.
 */
export async function readDraft(
  { database, staging }: Pick<ComposerDependencies, 'database' | 'staging'>,
  owner: MailboxOwner,
  draftId: string,
  headers: IncomingHttpHeaders,
): Promise<Tagged> {
  const { draft, stored } = await database.read(async (tx) => {
    const draft = await getDraft(tx, owner, draftId);
    return { draft, stored: await getStored(tx, owner, draft.id) };
  });
  const verdict = weighTag(headers, `"${draft.state}"`);
  if (verdict === 'failed') requireState(headers, draft.state);
  if (verdict === 'not modified') return new Tagged(draft.state, undefined);
  const bytes = await readBytes(staging, stored.location, stored.record);
  return new Tagged(draft.state, draftJson(draft, stored, bytes));
}

/**
 * Replaces a draft: its message keeps id, folder, flags, labels, date and Message-ID. Returns it. Throws ApiError
 * not_found, state_mismatch or draft_sending.
 */
export async function replaceDraft(
  tx: WriteTransaction,
  owner: MailboxOwner,
  draftId: string,
  { headers, given, composed }: { headers: IncomingHttpHeaders; given: DraftFields; composed: ComposedDraft },
): Promise<JsonText> {
  await tx.lock(mailboxLock(owner));
  const draft = await getDraft(tx, owner, draftId);
  await requireChangeable(tx, draft, headers);
  const { parsed, size, location } = composed.staged;
  const threadId = await threadOfReplacement(tx, owner, draft, given);
  const { id, number, date, folderId } = draft;
  const replacement = {
    threadId,
    summary: summaryMembers(parsed, { id, threadId, date, size }),
    size,
    location,
    record: composed.record,
    fields: fieldsJson(given),
    state: newState(),
  };
  await updateDraft(tx, owner, number, replacement);
  await release(tx, owner.workspaceId, draft.location);
  await takeOver(tx, composed.staged);
  emitMessages(tx, owner, 'message.changed', { folder_id: folderId, draft_id: draftId }, [id]);
  const { fields, state } = replacement;
  return draftJson({ id, fields, state }, await getStored(tx, owner, id), composed.bytes);
}

/** Removes a draft; its message can be restored, and the draft with it. Throws as replaceDraft. */
export async function deleteDraftMessage(
  tx: WriteTransaction,
  owner: MailboxOwner,
  draftId: string,
  headers: IncomingHttpHeaders,
): Promise<void> {
  await tx.lock(mailboxLock(owner));
  const draft = await getDraft(tx, owner, draftId);
  await requireChangeable(tx, draft, headers);
  await expungeMessage(tx, owner, draft);
}

/** Throws ApiError not_found. */
export async function getDraft(tx: ReadTransaction, owner: MailboxOwner, draftId: string): Promise<DraftRow> {
  const suffix = /^drf_([0-9a-z]{26})$/.exec(draftId)?.[1];
  const found = suffix === undefined ? undefined : await findDraft(tx, owner, `msg_${suffix}`);
  if (!found) throw notFound('draft', draftId);
  return found;
}

/** Throws ApiError state_mismatch, and draft_sending where a request other than `except` sends it. */
export async function requireChangeable(
  tx: ReadTransaction,
  { state, sentBy, sentUntil }: DraftRow,
  headers: IncomingHttpHeaders,
  except?: string,
): Promise<void> {
  if (headers['if-match'] !== undefined) requireState(headers, state);
  if (sentBy === null || sentBy === except || sentUntil <= (await tx.now())) return;
  throw new ApiError('draft_sending', 'The draft is being sent. Wait for the answer of that request.');
}

/**
 * The thread of the message that a draft answers, or its own: a draft that answers something else leaves a conversation
 * without connecting it to another.
 */
async function threadOfReplacement(
  tx: ReadTransaction,
  owner: MailboxOwner,
  draft: DraftRow,
  given: DraftFields,
): Promise<string> {
  const before: DraftFields = JSON.parse(draft.fields);
  if (before.reply_to_message_id === given.reply_to_message_id && draft.threadId !== null)
    return draft.threadId;
  return (await answeredThread(tx, owner, given)) ?? newId('thr');
}

/** Throws ApiError not_found. */
async function answeredThread(
  tx: ReadTransaction,
  owner: MailboxOwner,
  { reply_to_message_id: answeredId }: DraftFields,
): Promise<string | undefined> {
  if (answeredId === undefined) return undefined;
  const summary = await findSummary(tx, owner, answeredId);
  if (summary === undefined) throw notFound('message', answeredId);
  return JSON.parse(summary).thread_id;
}

/** The fields that a draft is made of, and nothing else; those that are not given are left out. */
function fieldsJson(given: DraftFields): string {
  return JSON.stringify({ ...sendable(given), to: given.to });
}

function newState(): string {
  return randomBytes(16).toString('base64url');
}

/** Throws ApiError not_found. */
async function getStored(tx: ReadTransaction, owner: MailboxOwner, messageId: string): Promise<StoredRecord> {
  const stored = await findMessage(tx, owner, messageId);
  if (!stored) throw notFound('message', messageId);
  return stored;
}

function draftJson(
  { id, fields, state }: Pick<DraftRow, 'id' | 'fields' | 'state'>,
  stored: StoredRecord,
  bytes: ReadBytes,
): JsonText {
  const message = fullRecord(stored, bytes).text;
  const draftId = id.replace(/^msg/, 'drf');
  return new JsonText(`{"id":"${draftId}","state":"${state}","content":${fields},"message":${message}}`);
}
