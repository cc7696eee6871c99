import type { ToolArguments } from '../../contract/agent-tool.ts';
import { ApiError } from '../../contract/errors.ts';
import type { MayMail } from '../../contract/outside-mail.ts';
import type { Permission } from '../../contract/permissions.ts';
import { type Asked, type Asking, found, type Precaution } from './asking.ts';
import type { Calls } from './calls.ts';
import { aboutDraft, aboutEvent, aboutMail, textsIn } from './mail-questions.ts';
import { quoted, quotedAddress, text } from './question-words.ts';

type Question = (asked: Asked) => Promise<Precaution>;

/** Trashing more than so many asks (MCP-13). */
const MANY = 20;
/** What a person is asked before an operation, by its id: sending outside, sharing, trashing many (MCP-13). */
const QUESTIONS: ReadonlyMap<string, Question> = new Map<string, Question>([
  ['sendMessage', aboutMail],
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

/** What comes before the operation is called with these arguments. */
export async function questionOf(operationId: string, asked: Asked): Promise<Precaution> {
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
 * Which addresses outside a call may mail where nobody can be asked (MCP-55). Throws ApiError insufficient_scope where a person
 * would be asked, and the key alone does not allow what they would decide about: a key that may write events is not meant to
 * send mail (MCP-13).
 */
export async function permitUnasked(operationId: string, asked: Asked): Promise<MayMail> {
  const unasked = UNASKED.get(operationId);
  if (!unasked || asked.calls.caller.principal.permissions.has(unasked.permission)) return 'anybody';
  if ((await questionOf(operationId, asked))?.message === undefined) return [];
  const { permission, why } = unasked;
  const message = `The API key lacks the permission ${permission}: ${why}.`;
  throw new ApiError('insufficient_scope', message, { missing_permission: permission });
}

function always(message: string): Question {
  return async () => ({ message });
}

/** `reads`: the operations that may tell the name of what is shared. */
function aboutSharing(...reads: readonly string[]): Question {
  return async ({ given, calls }) => {
    const { id, email, principal_id: principal, principal_type: type = 'user', role } = given;
    const name = await nameOf(calls, reads, id);
    const whom =
      email === undefined
        ? `the ${text(type)} ${await nameOf(calls, [type === 'group' ? 'listGroups' : 'getUser'], principal)}`
        : quotedAddress(email);
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
      return quoted(title ?? name) + (email === undefined ? '' : ` (${quotedAddress(email)})`);
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
