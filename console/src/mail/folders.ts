import { useQuery } from '@tanstack/react-query';
import type { MailFolder } from '../../../client/src/index.ts';
import { api } from '../app/api.ts';
import type { mailTexts } from './texts.ts';

export const FOLDERS = ['mail', 'folders'] as const;

export type Role = NonNullable<MailFolder['role']>;

/** The order in which folders with a role are shown. */
export const ROLES: readonly Role[] = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'];

const NONE: readonly MailFolder[] = [];

export const foldersQuery = {
  queryKey: FOLDERS,
  queryFn: ({ signal }: { signal: AbortSignal }) => api.mail.listMailFolders({ signal }),
};

export function useFolders(): readonly MailFolder[] {
  return useQuery(foldersQuery).data ?? NONE;
}

/** A folder with a role that was not renamed is called in the language of the page. */
export function folderName({ name, role }: MailFolder, texts: typeof mailTexts.en): string {
  return role !== null && name.toLowerCase() === role ? texts[role] : name;
}

export interface ShownFolder {
  folder: MailFolder;
  depth: number;
  /** Its names from the root, for a search and a tooltip. */
  path: string;
}

/** Folders with a role first, then the others by name; below each what it holds. */
export function treeOf(folders: readonly MailFolder[], texts: typeof mailTexts.en): ShownFolder[] {
  const children = new Map<string, MailFolder[]>();
  for (const folder of folders) {
    const siblings = children.get(folder.parent_id) ?? [];
    siblings.push(folder);
    children.set(folder.parent_id, siblings);
  }
  const shown: ShownFolder[] = [];
  const add = (parent: string, depth: number, above: string) => {
    for (const folder of (children.get(parent) ?? []).sort(byRoleThenName)) {
      const path = above + folderName(folder, texts);
      shown.push({ folder, depth, path });
      add(folder.id, depth + 1, `${path} / `);
    }
  };
  add('', 0, '');
  return shown;
}

function byRoleThenName(a: MailFolder, b: MailFolder): number {
  return rank(a) - rank(b) || a.name.localeCompare(b.name);
}

function rank({ role }: MailFolder): number {
  return role === null ? ROLES.length : ROLES.indexOf(role);
}
