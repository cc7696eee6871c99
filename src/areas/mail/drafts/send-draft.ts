import type { IncomingHttpHeaders } from 'node:http';
import type { JsonText } from '../../../contract/answers.ts';
import { ApiError } from '../../../contract/errors.ts';
import { NotPrepared } from '../../../contract/operation.ts';
import type { Principal } from '../../../contract/principal.ts';
import { newId } from '../../../platform/ids.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { expungeMessage } from '../changes/expunge.ts';
import { type MailboxOwner, mailboxLock } from '../owner.ts';
import { addressed, asGiven, type ComposedMessage, type ComposerDependencies } from '../sending/compose.ts';
import type { MessageSender } from '../sending/message-sender.ts';
import { countOf } from '../sending/recipients.ts';
import { type DraftRow, deleteDraft, removeSender, updateSender } from './draft-store.ts';
import { getDraft, requireChangeable, sendable } from './drafts.ts';

/**
 * How long a request that sends a draft keeps others away. The transaction alone decides who sends: this only spares the
 * others a wait, so it may end before a slow request does, and must end soon where the process has ended.
 */
const KEPT_AWAY_MS = 10_000;

/** Which draft is sent, by which request. */
export interface DraftRequest {
  draftId: string;
  headers: IncomingHttpHeaders;
}

/** A draft that waits for the transaction that sends it. */
export interface PreparedDraft extends ComposedMessage {
  /** The state that was prepared. */
  state: string;
}

/**
 * Keeps others away from a draft and prepares its bytes. What was composed when it was kept is sent, with its
 * attachments and references; the date alone is new. Rejects with ApiError not_found, state_mismatch, draft_sending or
 * no_recipients.
 */
export async function prepareDraft(
  dependencies: ComposerDependencies,
  caller: Principal,
  request: DraftRequest,
): Promise<PreparedDraft> {
  const sentBy = nameOf(caller, request);
  const draft = await dependencies.database.write((tx) => keepOthersAway(tx, caller, request, sentBy));
  const letOthers = () => dependencies.database.write((tx) => removeSender(tx, caller, draft.number, sentBy));
  try {
    const composed = await composedOf(dependencies, caller, draft);
    const discard = async () => {
      await composed.discard();
      await letOthers();
    };
    return { ...composed, state: draft.state, discard };
  } catch (error) {
    await letOthers();
    throw error;
  }
}

/** A repeat of the request has the same name: after a crash it need not wait. */
function nameOf({ keyId }: Principal, { headers }: DraftRequest): string {
  return `${keyId} ${headers['idempotency-key']}`;
}

async function keepOthersAway(
  tx: WriteTransaction,
  owner: MailboxOwner,
  { draftId, headers }: DraftRequest,
  sentBy: string,
): Promise<DraftRow> {
  await tx.lock(mailboxLock(owner));
  const draft = await getDraft(tx, owner, draftId);
  await requireChangeable(tx, draft, headers, sentBy);
  if (countOf(JSON.parse(draft.fields)) === 0)
    throw new ApiError('no_recipients', 'Name at least one recipient in to, cc or bcc, then send the draft.');
  await updateSender(tx, owner, draft.number, { sentBy, sentUntil: (await tx.now()) + KEPT_AWAY_MS });
  return draft;
}

async function composedOf(
  dependencies: ComposerDependencies,
  caller: Principal,
  draft: DraftRow,
): Promise<ComposedMessage> {
  const given = sendable(JSON.parse(draft.fields));
  const sentAt = Date.now();
  const { staging, directory, database } = dependencies;
  const { email: sender } = await database.read((tx) =>
    directory.getUser(tx, caller.workspaceId, caller.userId),
  );
  const content = await staging.open(draft.location);
  const staged = await staging.stage(dated(content instanceof Uint8Array ? [content] : content, sentAt));
  const message = { id: newId('out'), staged: asGiven(staged, given), sender, sentAt };
  return { ...(await addressed(dependencies, message, given)), draftThread: draft.threadId };
}

const HEAD_END = '\r\n\r\n';

/** A composed message with another date. */
async function* dated(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sentAt: number,
): AsyncGenerator<Uint8Array> {
  const date = new Date(sentAt).toUTCString().replace('GMT', '+0000');
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of content) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(HEAD_END);
    if (end < 0) continue;
    const headers = head.toString('latin1', 0, end).replace(/^Date: [^\r\n]*/m, `Date: ${date}`);
    yield Buffer.concat([Buffer.from(headers, 'latin1'), head.subarray(end)]);
    head = undefined;
  }
  if (head !== undefined) yield head;
}

/**
 * Sends a prepared draft as a message is sent, and removes it. Returns the summary of the copy in Sent. Throws ApiError
 * not_found, state_mismatch, draft_sending, unknown_recipient or no_relay; then the draft stays.
 */
export async function sendDraft(
  tx: WriteTransaction,
  caller: Principal,
  request: DraftRequest,
  { dependencies, sending, prepared }: SendingParts,
): Promise<JsonText> {
  const routes = await sending.route(tx, caller, prepared);
  const draft = await getDraft(tx, caller, request.draftId);
  await requireChangeable(tx, draft, request.headers, nameOf(caller, request));
  if (draft.state !== prepared.state)
    throw new NotPrepared(() => prepareDraft(dependencies, caller, request));
  const sent = await sending.sendAlong(tx, caller, prepared, routes);
  await deleteDraft(tx, caller, draft.number);
  await expungeMessage(tx, caller, draft);
  return sent;
}

/** What sending a draft needs. */
interface SendingParts {
  dependencies: ComposerDependencies;
  sending: MessageSender;
  prepared: PreparedDraft;
}
