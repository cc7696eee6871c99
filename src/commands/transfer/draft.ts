import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import type { Atrium } from '../../../client/src/atrium.ts';
import { AtriumError } from '../../../client/src/errors.ts';
import type { CreateDraftBody, Draft } from '../../../client/src/generated/areas.ts';
import { repeatable } from '../arguments.ts';
import { show, table } from '../output.ts';
import { type ConnectionOptions, connect, withConnectionOptions } from './connection.ts';

interface ListOptions extends ConnectionOptions {
  limit: number;
}

interface SaveOptions extends ConnectionOptions {
  id?: string;
  to?: string[];
  cc?: string[];
  bcc?: string[];
  subject?: string;
  text?: string;
  textFile?: string;
  file?: string[];
  replyTo?: string;
}

const DEFAULT_LIMIT = 25;

export function addDraftCommands(program: Command): void {
  const draft = program.command('draft').description('Drafts of messages: keep them, and send them');
  const list = draft
    .command('list')
    .description('List the drafts of the user of the key, newest first')
    .option('--limit <number>', 'most drafts', wholeNumber, DEFAULT_LIMIT);
  withConnectionOptions(list).action(listDrafts);
  withConnectionOptions(draft.command('show').description('Show a draft').argument('<id>')).action(showDraft);
  addSave(draft);
  const send = draft.command('send').description('Send a draft, once, and remove it').argument('<id>');
  withConnectionOptions(send).action(sendDraft);
  const remove = draft.command('delete').description('Delete a draft').argument('<id>');
  withConnectionOptions(remove).action(deleteDraft);
}

function addSave(draft: Command): void {
  const save = draft
    .command('save')
    .description('Keep a draft, or change one: what is not named stays as it is')
    .option('--id <id>', 'the draft to change; default: a new one')
    .addOption(repeatable('--to <address>', 'whom it is for; may be repeated'))
    .addOption(repeatable('--cc <address>', 'who gets a copy; may be repeated'))
    .addOption(repeatable('--bcc <address>', 'who gets a copy unseen; may be repeated'))
    .option('--subject <text>', 'the subject')
    .option('--text <text>', 'the plain text')
    .option('--text-file <path>', 'a file with the plain text; - is standard input')
    .addOption(repeatable('--file <id>', 'a file of the drive to attach; may be repeated'))
    .option('--reply-to <id>', 'the message that it answers');
  withConnectionOptions(save).action(saveDraft);
}

function wholeNumber(value: string): number {
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

async function listDrafts({ limit, ...options }: ListOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const drafts: Draft[] = [];
  for await (const { id } of atrium.mail.listMessages({ flag: 'draft' })) {
    const draft = await findDraft(atrium, id.replace(/^msg_/, 'drf_'));
    if (draft && drafts.push(draft) === limit) break;
  }
  show(command, drafts, () =>
    drafts.length === 0 ? 'There are no drafts.' : table(['ID', 'TO', 'SUBJECT'], drafts.map(draftRow)),
  );
}

/** Undefined for a message that has the flag and was not kept as a draft here. */
async function findDraft(atrium: Atrium, id: string): Promise<Draft | undefined> {
  try {
    return await atrium.mail.getDraft(id);
  } catch (error) {
    if (error instanceof AtriumError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function draftRow({ id, content, message }: Draft): string[] {
  return [id, (content.to ?? []).join(', '), message.subject];
}

async function showDraft(id: string, options: ConnectionOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const draft = await atrium.mail.getDraft(id);
  const { to = [], cc = [], bcc = [] } = draft.content;
  const heads = Object.entries({ To: to, Cc: cc, Bcc: bcc }).filter(([, people]) => people.length > 0);
  const lines = heads.map(([name, people]) => `${name}: ${people.join(', ')}`);
  const { subject, text } = draft.message;
  show(command, draft, () => [...lines, `Subject: ${subject}`, '', text.trimEnd()].join('\n'));
}

async function saveDraft(options: SaveOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const draft = await (options.id === undefined
    ? atrium.mail.createDraft(await bodyOf(options, {}))
    : changed(atrium, options.id, options));
  show(command, draft, () => `The draft is kept as ${draft.id}.`);
}

/** Only the state that was read is replaced: somebody else may save it meanwhile. */
async function changed(atrium: Atrium, id: string, options: SaveOptions): Promise<Draft> {
  const { state, content } = await atrium.mail.getDraft(id);
  return atrium.mail.replaceDraft(id, await bodyOf(options, content), { ifMatch: `"${state}"` });
}

/** What is named, beside what was there. */
async function bodyOf(options: SaveOptions, before: Draft['content']): Promise<CreateDraftBody> {
  const { to, cc, bcc, subject, file, replyTo } = options;
  const text = await textFrom(options);
  const members: Partial<Record<keyof CreateDraftBody, string | readonly string[] | undefined>> = {
    to: to ?? before.to,
    cc: cc ?? before.cc,
    bcc: bcc ?? before.bcc,
    subject: subject ?? before.subject,
    text: text ?? before.text,
    // A new text takes the place of what was formatted.
    html: text === undefined ? before.html : undefined,
    file_ids: file ?? before.file_ids,
    reply_to_message_id: replyTo ?? before.reply_to_message_id,
  };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

async function textFrom({ text, textFile }: SaveOptions): Promise<string | undefined> {
  if (textFile === undefined) return text;
  return textFile === '-' ? textOf(process.stdin) : readFile(textFile, 'utf8');
}

async function sendDraft(id: string, options: ConnectionOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  const sent = await atrium.mail.sendDraft(id);
  show(command, sent, () => `Sent ${sent.subject === '' ? 'a message' : `"${sent.subject}"`} as ${sent.id}.`);
}

async function deleteDraft(id: string, options: ConnectionOptions, command: Command): Promise<void> {
  const { atrium } = await connect(options);
  await atrium.mail.deleteDraft(id);
  show(command, { id }, () => `Deleted ${id}.`);
}
