import { useQuery } from '@tanstack/react-query';
import type { MailFolder } from '../../../../client/src/index.ts';
import { api } from '../../app/api.ts';

/** The folders of the mailbox, each with its path as filters name it. */
export function useFolders() {
  const { data = [] } = useQuery({ queryKey: ['folders'], queryFn: () => api.mail.listMailFolders() });
  const byId = new Map(data.map((folder) => [folder.id, folder]));
  const pathOf = (folder: MailFolder): string => {
    const parent = byId.get(folder.parent_id);
    return parent ? `${pathOf(parent)}/${folder.name}` : folder.name;
  };
  const folders = data.map((folder) => ({ ...folder, path: pathOf(folder) }));
  return { folders: folders.sort((a, b) => a.path.localeCompare(b.path)) };
}
