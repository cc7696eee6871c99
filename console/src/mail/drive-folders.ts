import { api } from '../app/api.ts';

export interface DriveFolder {
  id: string;
  path: string;
  depth: number;
}

/** The folders of the drive to which the person may add, as a tree, without those in the trash. */
export async function driveFolders(): Promise<DriveFolder[]> {
  const folders = (await api.files.listFileFolders({ include: 'role' })).filter(({ trashed }) => !trashed);
  const ids = new Set(folders.map(({ id }) => id));
  // A folder that others share has a parent that the person may not see.
  const parentOf = (parent: string) => (ids.has(parent) ? parent : '');
  const children = new Map<string, typeof folders>();
  for (const folder of folders) {
    const parent = parentOf(folder.parent_id);
    children.set(parent, [...(children.get(parent) ?? []), folder]);
  }
  const shown: DriveFolder[] = [];
  const add = (parent: string, depth: number, above: string) => {
    const within = (children.get(parent) ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
    for (const { id, name, role } of within) {
      if (role !== 'viewer' && role !== 'commenter') shown.push({ id, path: above + name, depth });
      add(id, depth + 1, `${above}${name} / `);
    }
  };
  add('', 0, '');
  return shown;
}
