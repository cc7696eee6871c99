import { get, type Server } from './servers.ts';

/** A listing as a benchmark asks for it. */
export interface Listing {
  name: string;
  path: string;
}

/** By name: the ids of the folders of the mailbox that a server holds. */
export async function foldersOf(server: Server): Promise<ReadonlyMap<string, string>> {
  const { data } = await get(server, '/v1/folders');
  const folders = data as { id: string; name: string }[];
  return new Map(folders.map(({ id, name }) => [name, id]));
}

/** Every kind of filter and of their combinations; {Name} stands for the id of a folder. Few mails have all of it. */
const COMBINATIONS: Record<string, string> = {
  'a folder': 'folder_id={Inbox}',
  'two folders': 'folder_id={Inbox}&folder_id={Archive}',
  unread: 'unread=true',
  read: 'flag=read',
  starred: 'flag=starred',
  answered: 'flag=answered',
  draft: 'flag=draft',
  deleted: 'flag=deleted',
  'two flags': 'flag=answered&flag=starred',
  'a flag and unread': 'flag=starred&unread=true',
  'a label': 'label=work',
  'two labels': 'label=work&label=todo&limit=20',
  'three labels that rarely meet': 'label=work&label=todo&label=travel&limit=1',
  'a folder and a flag': 'folder_id={Inbox}&flag=starred',
  'a folder and unread': 'folder_id={Inbox}&unread=true',
  'a folder and a label': 'folder_id={Inbox}&label=work',
  'a label and a flag': 'label=work&flag=starred',
  'a label and unread': 'label=work&unread=true',
  'all of it': 'folder_id={Inbox}&folder_id={Archive}&flag=starred&label=work&unread=true&limit=20',
  'nothing but unread=false': 'unread=false',
};

/** The listings of every combination of filters on the mailbox that a server holds. */
export async function combinations(server: Server): Promise<Listing[]> {
  const folders = await foldersOf(server);
  return Object.entries(COMBINATIONS).map(([name, query]) => ({
    name,
    path: `/v1/messages?${query.replace(/\{(\w+)\}/g, (_, folder) => folders.get(folder) ?? '')}`,
  }));
}

/** The page of a listing that comes after so many messages. */
export async function pageAfter(server: Server, path: string, messages: number): Promise<string> {
  let cursor = '';
  for (let passed = 0; passed < messages; passed += LARGEST_PAGE) {
    const { pagination } = await get(server, `${path}&limit=${LARGEST_PAGE}${cursor}`);
    if (!pagination.has_more) throw new Error(`${path} ends before ${messages} messages`);
    cursor = `&cursor=${pagination.next_cursor}`;
  }
  return path + cursor;
}

/** So many pages of a listing, each from one message further on. */
export async function pagesOf(server: Server, path: string, count: number): Promise<string[]> {
  const pages: string[] = [];
  for (let page = path; pages.length < count; page = pages.at(-1) ?? path) {
    const { pagination } = await get(server, `${page}&limit=1`);
    pages.push(`${path}&cursor=${pagination.next_cursor}`);
  }
  return pages;
}

const LARGEST_PAGE = 200;
