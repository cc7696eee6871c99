import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Permission } from '../../contract/permissions.ts';
import type { Calls } from './calls.ts';

/** The addresses of those of these recipients, "Name <address>" or an address, who are not in the workspace. */
export type FindOutsiders = (workspaceId: string, recipients: readonly string[]) => Promise<string[]>;

/** What a question is made of. */
interface Asked {
  given: ToolArguments;
  calls: Calls;
  findOutsiders: FindOutsiders;
}

/** What a person reads, and what of the stored objects an answer counts for, beside the arguments of the call. */
export interface Asking {
  message: string;
  about?: unknown;
}

/** The question, or undefined where nobody need be asked. */
type Question = (asked: Asked) => Promise<Asking | undefined>;

/** Trashing more than so many asks (MCP-13). */
const MANY = 20;
/** Characters of a name in a question. */
const LONGEST_NAME = 120;
/** Characters of an address in a question: none is longer. */
const LONGEST_ADDRESS = 320;
/** Recipients that a question names. */
const MOST_NAMED = 10;
/** Recipients that are looked up; no message and no event has more. */
const MOST_RECIPIENTS = 1_000;

/** What a person is asked before an operation, by its id: sending outside, sharing, trashing many (MCP-13). */
const QUESTIONS: ReadonlyMap<string, Question> = new Map<string, Question>([
  ['sendMessage', ({ given, ...asked }) => aboutMail(given, asked)],
  ['sendDraft', aboutDraft],
  ['createEvent', aboutEvent],
  ['updateEvent', aboutEvent],
  ['deleteEvent', aboutEvent],
  ['shareFile', aboutSharing('getFile', 'getDocument')],
  ['shareFileFolder', aboutSharing('listFileFolders')],
  ['changeMessages', (asked) => aboutMoving(asked, asked.given.move_to)],
  ['moveMessages', (asked) => aboutMoving(asked, asked.given.to_folder_id)],
  ['trashFileFolder', aboutFolder],
  ['updateMailFolder', aboutMailFolder],
  ['expungeMailFolder', always('Delete the marked messages of a folder?')],
  ['applyMailFilter', always('Apply the filter to the mail of a whole folder?')],
  ['createWebhook', ({ given }) => aboutWebhook(given)],
  ['updateWebhook', ({ given }) => aboutWebhook(given)],
  ['resumeWebhook', ({ given }) => aboutWebhook(given)],
  ['createApiKey', always('Make an API key, with which programs act for a person?')],
  ['createSignInCode', always('Make a code that signs a browser in?')],
  ['updateGroup', aboutGroup],
]);

/** What a person is asked before the operation is called with these arguments; undefined where nobody need be asked. */
export async function questionOf(operationId: string, asked: Asked): Promise<Asking | undefined> {
  return QUESTIONS.get(operationId)?.(asked);
}

/** What an operation that asks may only do unasked with a permission that is not its own. */
interface Unasked {
  permission: Permission;
  /** What needs it, and what the agent can do without it. */
  why: string;
}

const MAILS: Unasked = {
  permission: 'mail.messages.send',
  why: 'mail about an event to addresses outside this workspace needs it. Without notify, nobody is told',
};

/** The operations whose own permission says nothing of what they ask about, by id: it is that of the calendar alone. */
const UNASKED: ReadonlyMap<string, Unasked> = new Map([
  ['createEvent', MAILS],
  ['updateEvent', MAILS],
  ['deleteEvent', MAILS],
]);

/**
 * Throws ApiError insufficient_scope where a person would be asked and cannot be, and the key alone does not allow what they
 * would decide about: a key that may write events is not meant to send mail (MCP-13).
 */
export async function permitUnasked(operationId: string, asked: Asked): Promise<void> {
  const unasked = UNASKED.get(operationId);
  if (!unasked || asked.calls.caller.principal.permissions.has(unasked.permission)) return;
  if ((await questionOf(operationId, asked)) === undefined) return;
  const { permission, why } = unasked;
  const message = `The API key lacks the permission ${permission}: ${why}.`;
  throw new ApiError('insufficient_scope', message, { missing_permission: permission });
}

function always(message: string): Question {
  return async () => ({ message });
}

type Mailing = Pick<Asked, 'calls' | 'findOutsiders'>;

/** `about`: the mail, where it is stored. */
async function aboutMail(mail: ToolArguments, asked: Mailing, about?: unknown): Promise<Asking | undefined> {
  const recipients = ['to', 'cc', 'bcc'].flatMap((kind) => textsIn(mail[kind]));
  const outside = await outsideOf(recipients, asked);
  if (outside === undefined) return undefined;
  return {
    message: `Send the message ${quoted(mail.subject ?? '')} to ${outside}, outside this workspace?`,
    about,
  };
}

/** The addresses outside the workspace in words; undefined where there are none. */
async function outsideOf(
  recipients: readonly string[],
  { calls, findOutsiders }: Mailing,
): Promise<string | undefined> {
  const distinct = [...new Set(recipients)];
  if (distinct.length > MOST_RECIPIENTS) return `more than ${MOST_RECIPIENTS} addresses`;
  const outside = await findOutsiders(calls.caller.principal.workspaceId, distinct);
  return outside.length === 0 ? undefined : listed(outside);
}

async function aboutDraft({ given, ...asked }: Asked): Promise<Asking | undefined> {
  if (!asked.calls.operation('getDraft')) return { message: 'Send the draft?' };
  const draft = await found(asked.calls, 'getDraft', { id: given.id });
  if (draft === undefined) return undefined;
  return aboutMail((draft as { content: ToolArguments }).content, asked, draft);
}

/** What an operation reads; undefined where that does not exist: then a write refuses, or answers as it did before. */
async function found(calls: Calls, operation: string, given: ToolArguments): Promise<unknown> {
  try {
    return (await calls.call(operation, given)).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** Attendees are told by mail where `notify` says so: those that are given, and those that the event has. */
async function aboutEvent({ given, ...asked }: Asked): Promise<Asking | undefined> {
  const { notify, attendees, id, event_id } = given;
  if (notify !== 'all') return undefined;
  if (event_id !== undefined && !asked.calls.operation('getEvent'))
    return { message: 'Send mail about the event to those who are invited?' };
  const event = event_id === undefined ? undefined : await found(asked.calls, 'getEvent', { id, event_id });
  const present = textsIn((event as { attendees?: unknown } | undefined)?.attendees);
  const outside = await outsideOf([...textsIn(attendees), ...present], asked);
  if (outside === undefined) return undefined;
  return { message: `Send mail about the event to ${outside}, outside this workspace?`, about: present };
}

/** `reads`: the operations that may tell the name of what is shared. */
function aboutSharing(...reads: readonly string[]): Question {
  return async ({ given, calls }) => {
    const { id, email, principal_id: principal, principal_type: type = 'user', role } = given;
    const name = await nameOf(calls, reads, id);
    const whom =
      email === undefined
        ? `the ${text(type)} ${await nameOf(calls, [type === 'group' ? 'listGroups' : 'getUser'], principal)}`
        : text(email, LONGEST_ADDRESS);
    return { message: `Share ${name} with ${whom} as ${text(role)}?` };
  };
}

/** The name of what has this id, by operations that read it or list it among others; the id where none tells. */
async function nameOf(calls: Calls, reads: readonly string[], id: unknown): Promise<string> {
  for (const operation of reads) {
    if (!calls.operation(operation)) continue;
    const isList = operation.startsWith('list');
    const data = await found(calls, operation, isList ? {} : { id });
    const named = [data].flat().find((one) => (one as { id?: unknown } | undefined)?.id === id);
    const { title, name, email } = (named ?? {}) as { title?: unknown; name?: unknown; email?: unknown };
    if (title !== undefined || name !== undefined)
      return quoted(title ?? name) + (email === undefined ? '' : ` (${text(email, LONGEST_ADDRESS)})`);
  }
  return text(id);
}

async function aboutMoving({ given, calls }: Asked, target: unknown): Promise<Asking | undefined> {
  const count = new Set(textsIn(given.message_ids)).size;
  if (count <= MANY || !(await isTrash(calls, target))) return undefined;
  return { message: `Move ${count} messages to the trash?` };
}

interface MailFolder extends Folder {
  role: string | null;
  message_count: number;
}

/** The folders of the mailbox; undefined where the key does not see them. */
async function mailFoldersOf(calls: Calls): Promise<MailFolder[] | undefined> {
  if (!calls.operation('listMailFolders')) return undefined;
  return (await calls.call('listMailFolders', {})).data as MailFolder[];
}

async function isTrash(calls: Calls, folder: unknown): Promise<boolean> {
  if (folder === undefined || folder === 'trash') return folder === 'trash';
  const folders = await mailFoldersOf(calls);
  return folders === undefined || isInTrash(folders, folder);
}

/** Whether a folder, by its id or role, is the trash, or lies in it at any depth. */
function isInTrash(folders: readonly MailFolder[], named: unknown): boolean {
  const trash = folderNamed(folders, 'trash')?.id;
  const folder = folderNamed(folders, named)?.id;
  return trash !== undefined && folder !== undefined && withInner(folders, trash).has(folder);
}

function folderNamed(folders: readonly MailFolder[], named: unknown): MailFolder | undefined {
  return folders.find(({ id, role }) => id === named || (role !== null && role === named));
}

/** A folder of mail takes along what is in it, at any depth, like one of the drive. */
async function aboutMailFolder({ given, calls }: Asked): Promise<Asking | undefined> {
  const { id, parent_id: parent } = given;
  if (parent === undefined || parent === '') return undefined;
  const folders = await mailFoldersOf(calls);
  if (folders === undefined)
    return { message: 'Move the folder and all that is in it, perhaps to the trash?' };
  const folder = folderNamed(folders, id);
  if (folder === undefined || !isInTrash(folders, parent) || isInTrash(folders, id)) return undefined;
  const inside = withInner(folders, folder.id);
  const messages = folders
    .filter((one) => inside.has(one.id))
    .reduce((sum, { message_count: count }) => sum + count, 0);
  return messages + inside.size - 1 > MANY ? askAboutFolder(folder.name) : undefined;
}

function askAboutFolder(name: unknown): Asking {
  return { message: `Move the folder ${quoted(name)} with more than ${MANY} items to the trash?` };
}

/** The ids of a folder and of those in it, at any depth. */
function withInner(folders: readonly Folder[], folder: string): Set<string> {
  const inside = new Set([folder]);
  // Each pass goes one level deeper; an id is added once.
  for (let size = 0; size !== inside.size; ) {
    size = inside.size;
    for (const { id, parent_id } of folders) if (inside.has(parent_id)) inside.add(id);
  }
  return inside;
}

interface Folder {
  id: string;
  name: string;
  parent_id: string;
}

/** A folder takes along what is in it, at any depth. */
async function aboutFolder({ given, calls }: Asked): Promise<Asking | undefined> {
  // Where the key does not see everything, nobody knows how much it is.
  if (!['listFileFolders', 'listFiles', 'listDocuments'].every((operation) => calls.operation(operation)))
    return { message: 'Move the folder and all that is in it to the trash?' };
  const folders = (await calls.call('listFileFolders', {})).data as Folder[];
  const inside = withInner(folders, text(given.id));
  let count = inside.size;
  for (const folder_id of inside) {
    for (const operation of ['listFiles', 'listDocuments']) {
      if (count > MANY) break;
      count += ((await calls.call(operation, { folder_id, limit: MANY + 1 })).data as unknown[]).length;
    }
  }
  if (count <= MANY) return undefined;
  return askAboutFolder(folders.find(({ id }) => id === given.id)?.name ?? given.id);
}

/** Whoever comes into a group reaches all that is shared with it. */
async function aboutGroup({ given: { id, member_ids: members } }: Asked): Promise<Asking | undefined> {
  if (members === undefined) return undefined;
  return { message: `Change who is in the group ${text(id)}, and so who sees what is shared with it?` };
}

async function aboutWebhook({ url }: ToolArguments): Promise<Asking> {
  return { message: `Send changes of this workspace to ${quoted(url ?? 'the address of the webhook')}?` };
}

function textsIn(value: unknown): string[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items
    .map((item) => (isAttendee(item) ? item.address : item))
    .filter((item) => typeof item === 'string');
}

function isAttendee(item: unknown): item is { address: string } {
  return typeof item === 'object' && item !== null && 'address' in item;
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return (
    names
      .slice(0, MOST_NAMED)
      .map((name) => text(name, LONGEST_ADDRESS))
      .join(', ') + (more > 0 ? ` and ${more} others` : '')
  );
}

function quoted(name: unknown): string {
  return `“${text(name)}”`;
}

/** On one line, so that a name cannot pass for the rest of the question. */
function text(value: unknown, longest = LONGEST_NAME): string {
  const words = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  const plain = words.replaceAll(/[\p{C}\p{Zl}\p{Zp}“”]/gu, ' ');
  return plain.length > longest ? `${plain.slice(0, longest).toWellFormed()}…` : plain;
}
