import { join } from 'node:path';
import { FileNames } from './file-names.ts';

/** A folder of a tree. */
export interface TreeFolder {
  id: string;
  name: string;
  /** "" at the root. */
  parent_id: string;
}

/** A folder on its way to the disk; the root has none. */
export interface PlacedFolder<F> {
  folder: F | undefined;
  /** Its directory, relative to the export. */
  path: string;
  /** The names within it. */
  names: FileNames;
  children: F[];
}

/** Bytes of a directory; systems take paths of 4,096, of which the export itself has some. */
const MOST_PATH_BYTES = 1_500;

/**
 * The folders of a tree below `root`, each after its parent, whose names the folders within it
 * already have. One that lies too deep stands right below the root.
 */
export function* placedFolders<F extends TreeFolder>(
  folders: readonly F[],
  root: string,
): Generator<PlacedFolder<F>> {
  const childrenOf = Map.groupBy(folders, (folder) => folder.parent_id);
  const top = placed<F>(undefined, root, childrenOf.get('') ?? []);
  const waiting = [top];
  for (let parent = waiting.shift(); parent; parent = waiting.shift()) {
    for (const folder of parent.children) {
      const path = join(parent.path, parent.names.take(folder.name));
      const isDeep = Buffer.byteLength(path) > MOST_PATH_BYTES;
      const at = isDeep ? join(root, top.names.take(folder.id)) : path;
      waiting.push(placed(folder, at, childrenOf.get(folder.id) ?? []));
    }
    yield parent;
  }
}

function placed<F>(folder: F | undefined, path: string, children: F[]): PlacedFolder<F> {
  return { folder, path, names: new FileNames(), children };
}
