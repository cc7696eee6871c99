import { CompiledQuery } from 'kysely';
import { flagSet } from '../../src/areas/mail/changes/flags.ts';
import { insertLabels } from '../../src/areas/mail/changes/label-store.ts';
import { findFolder, insertFolder } from '../../src/areas/mail/folders/folder-store.ts';
import type { MailboxOwner } from '../../src/areas/mail/owner.ts';
import type { Engine, ReadTransaction, WriteTransaction } from '../../src/storage/database.ts';
import { startApp, type TestApp } from '../harness.ts';
import { insertMessages } from './insert-messages.ts';

export const OWNER: MailboxOwner = { workspaceId: 'wsp_1', userId: 'usr_1' };
const NEIGHBOUR: MailboxOwner = { workspaceId: 'wsp_1', userId: 'usr_2' };
const NEIGHBOURS = 300;
/** Enough for PostgreSQL to know that reading all of them is dear. */
export const MESSAGES = 8_000;
const AT_ONCE = 500;
const FOLDERS = ['a', 'b', 'c', 'd'];
const FLAG_SETS = [['read'], [], ['read', 'answered'], ['starred'], ['read', 'starred', 'answered']] as const;
const OTHER_SETS = [
  ['read', 'draft'],
  ['deleted', 'answered'],
  ['read', 'starred'],
] as const;
const SETS = [...FLAG_SETS, ...OTHER_SETS].map((flags) => flagSet(flags));
/** A label of every message, of every second, and so on. */
const LABELS = { work: 1, todo: 2, travel: 40 } as const;

/** An application with two mailboxes, and the folder counts of many more. */
export async function filledApp(engine: Engine): Promise<TestApp> {
  const app = await startApp(engine);
  await app.services.database.write(fill);
  if (engine === 'postgres') await app.services.database.write((tx) => run(tx, 'analyze'));
  return app;
}

async function fill(tx: WriteTransaction): Promise<void> {
  for (const owner of [OWNER, NEIGHBOUR]) await fillMailbox(tx, owner);
  for (let i = 0; i < NEIGHBOURS; i++) {
    const neighbour = { ...OWNER, userId: `usr_neighbour_${i}` };
    await fillCounts(tx, neighbour);
  }
}

async function fillMailbox(tx: WriteTransaction, owner: MailboxOwner): Promise<void> {
  const folders: number[] = [];
  for (const name of FOLDERS) {
    const id = `${owner.userId} ${name}`;
    await insertFolder(tx, owner, { id, name, parentId: '', role: null, createdAt: 0 });
    folders.push((await findFolder(tx, owner, id))?.number ?? 0);
  }
  const messages = Array.from({ length: MESSAGES }, (_, i) => messageOf(owner, folders, i));
  for (const rows of portions(messages)) {
    await insertLabels(tx, owner, await insertMessages(tx, rows));
  }
  await fillCounts(tx, owner);
}

function messageOf({ workspaceId, userId }: MailboxOwner, folders: readonly number[], i: number) {
  return {
    workspace_id: workspaceId,
    user_id: userId,
    id: `msg_${userId}_${String(i).padStart(6, '0')}`,
    folder_number: folders[i % FOLDERS.length] ?? 0,
    thread_id: null,
    date: dateOf(i),
    // Not in step with the folders, so that every folder has messages of every set.
    flags: SETS[Math.floor(i / FOLDERS.length) % SETS.length] ?? 0,
    labels: JSON.stringify(labelsOf(i)),
    summary: `"subject":"${'the subject of a message '.repeat(8)}"`,
  };
}

/** Not in step with the sets of flags, so that messages of every set carry every label. */
function labelsOf(i: number): string[] {
  const labels = Object.entries(LABELS).filter(([, every]) => Math.floor(i / SETS.length) % every === 0);
  return labels.map(([label]) => label);
}

async function fillCounts(tx: WriteTransaction, { workspaceId, userId }: MailboxOwner): Promise<void> {
  const counts = FOLDERS.flatMap((folder) =>
    SETS.map((flags) => ({
      workspace_id: workspaceId,
      user_id: userId,
      folder_id: `${userId} ${folder}`,
      flags,
      messages: MESSAGES / FOLDERS.length / SETS.length,
    })),
  );
  await tx.insertInto('mail_folder_counts').values(counts).execute();
}

/** The date of the how-many-th message. */
export function dateOf(i: number): number {
  return Date.UTC(2020, 0, 1) + i * 60_000;
}

function* portions<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < rows.length; i += AT_ONCE) yield rows.slice(i, i + AT_ONCE);
}

async function run(tx: ReadTransaction, sql: string): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(sql));
}
