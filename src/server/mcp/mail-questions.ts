import type { ToolArguments } from '../../contract/agent-tool.ts';
import { admitsState, stateMismatch } from '../../contract/preconditions.ts';
import { replySubject } from '../../formats/messages/reply-subject.ts';
import { type Asked, found, orRefused, type Precaution } from './asking.ts';
import type { Calls } from './calls.ts';
import { listed, MOST_NAMED, quoted, quotedAddress } from './question-words.ts';

/** Recipients that are looked up; no message and no event has more. */
const MOST_RECIPIENTS = 1_000;

type Mailing = Pick<Asked, 'calls' | 'findOutsiders'>;

/** Before a message is sent: to whom outside, with which subject and which files (MCP-47). */
export function aboutMail(asked: Asked): Promise<Precaution> {
  return orRefused(mailPrecaution(asked));
}

async function mailPrecaution({ given, ...asked }: Asked): Promise<Precaution> {
  const outside = await outsideOf(recipientsOf(given), asked);
  if (outside === undefined) return undefined;
  const { calls } = asked;
  const subject = given.subject ?? (await subjectOfReply(calls, given.reply_to_message_id));
  const files = textsIn(given.file_ids);
  const names = await Promise.all(files.slice(0, MOST_NAMED).map((id) => filename(calls, id)));
  return { message: question(subject, outside, { names, count: files.length }) };
}

/** Before a draft is sent: the same, of what it is when it is sent (MCP-46). */
export function aboutDraft(asked: Asked): Promise<Precaution> {
  return orRefused(draftPrecaution(asked));
}

async function draftPrecaution({ given, ...asked }: Asked): Promise<Precaution> {
  if (!asked.calls.operation('getDraft')) return { message: 'Send the draft?' };
  const draft = (await asked.calls.call('getDraft', { id: given.id })).data as Draft;
  const { content, state, message } = draft;
  if (!admits(given, state)) return { refusal: stateMismatch(state) };
  const outside = await outsideOf(recipientsOf(content), asked);
  if (outside === undefined) return { state };
  const names = message.attachments.map((attachment) => attachment.filename);
  const attached = { names, count: names.length };
  return { message: question(message.subject, outside, attached), about: draft, state };
}

/** What a question reads of a draft. */
interface Draft {
  state: string;
  content: ToolArguments;
  message: { subject: string; attachments: readonly { filename: string }[] };
}

/** Whether a call may act on this state, by its `if_match`. */
function admits({ if_match: match }: ToolArguments, state: string): boolean {
  return match === undefined || (typeof match === 'string' && admitsState({ 'if-match': match }, state));
}

/** The names of attachments, or of the first of them, and how many there are. */
interface Attached {
  names: readonly string[];
  count: number;
}

function question(subject: unknown, outside: string, { names, count }: Attached): string {
  const files = listed(names.map(quoted), count - names.length);
  const attached =
    count === 0 ? '' : `, with ${count} ${count === 1 ? 'attachment' : 'attachments'}: ${files}`;
  return `Send the message ${quoted(subject)} to ${outside}, outside this workspace${attached}?`;
}

/** The subject that a reply has without one of its own; "" where the call is refused for what it answers. Rejects with not_found. */
async function subjectOfReply(calls: Calls, answered: unknown): Promise<string> {
  if (typeof answered !== 'string' || !calls.operation('getMessage')) return '';
  const { data } = await calls.call('getMessage', { id: answered });
  return replySubject((data as { subject: string }).subject);
}

/** The id where the key may not read files: then it may not send them either. Rejects with not_found. */
async function filename(calls: Calls, id: string): Promise<string> {
  if (!calls.operation('getFile')) return id;
  return ((await calls.call('getFile', { id })).data as { filename: string }).filename;
}

function recipientsOf(mail: ToolArguments): string[] {
  return ['to', 'cc', 'bcc'].flatMap((kind) => textsIn(mail[kind]));
}

/**
 * Attendees are told by mail where `notify` says so: those that are given, and those that the event has. Others than those that
 * the question was made of are not mailed (MCP-55).
 */
export async function aboutEvent({ given, ...asked }: Asked): Promise<Precaution> {
  const { notify, attendees, id, event_id } = given;
  if (notify !== 'all') return undefined;
  if (event_id !== undefined && !asked.calls.operation('getEvent'))
    return { message: 'Send mail about the event to those who are invited?', mayMail: 'anybody' };
  const event = event_id === undefined ? undefined : await found(asked.calls, 'getEvent', { id, event_id });
  const present = textsIn((event as { attendees?: unknown } | undefined)?.attendees);
  const told = [...new Set([...textsIn(attendees), ...present])];
  // No event has so many: its operation refuses them.
  if (told.length > MOST_RECIPIENTS) return undefined;
  const mayMail = await asked.findOutsiders(asked.calls.caller.principal.workspaceId, told);
  if (mayMail.length === 0) return { mayMail };
  const message = `Send mail about the event to ${inWords(mayMail)}, outside this workspace?`;
  return { message, about: present, mayMail };
}

/** The addresses outside the workspace in words; undefined where there are none. */
async function outsideOf(
  recipients: readonly string[],
  { calls, findOutsiders }: Mailing,
): Promise<string | undefined> {
  const distinct = [...new Set(recipients)];
  if (distinct.length > MOST_RECIPIENTS) return `more than ${MOST_RECIPIENTS} addresses`;
  const outside = await findOutsiders(calls.caller.principal.workspaceId, distinct);
  return outside.length === 0 ? undefined : inWords(outside);
}

function inWords(addresses: readonly string[]): string {
  return listed(addresses.map(quotedAddress));
}

/** The texts of a list, and the addresses of attendees in it. */
export function textsIn(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items
    .map((item) => (isAttendee(item) ? item.address : item))
    .filter((item) => typeof item === 'string');
}

function isAttendee(item: unknown): item is { address: string } {
  return typeof item === 'object' && item !== null && 'address' in item;
}
