import { extname, join } from 'node:path';
import { fold } from '../../text/fold.ts';
import { withoutTrailing } from '../../text/without-trailing.ts';

/** Characters that some system does not allow in a name, or treats specially. */
const FORBIDDEN = /[\p{Cc}/\\:*?"<>|]/gu;
/** Device names of Windows, whatever follows the first dot. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;
/** Maximum bytes of a name; file systems permit 255, and a number may be added. */
const MOST_BYTES = 200;
const MOST_ENDING_BYTES = 30;

/**
 * Gives the names of one directory: each name is safe on every common file system, and unique without regard to case.
 */
export class FileNames {
  readonly #taken = new Set<string>();
  /** How often each name was requested: a thousand equal names cost no more than others. */
  readonly #wanted = new Map<string, number>();

  /** A free name as close as possible to the wanted one, with the ending unless the name already has it. */
  take(wanted: string, ending = ''): string {
    const { stem, ending: last } = parts(safe(wanted), ending);
    const alike = fold(`${stem}${last}`);
    for (let number = (this.#wanted.get(alike) ?? 0) + 1; ; number++) {
      const name = number === 1 ? `${stem}${last}` : `${stem} (${number})${last}`;
      if (this.#taken.has(fold(name))) continue;
      this.#taken.add(fold(name));
      this.#wanted.set(alike, number);
      return name;
    }
  }
}

function safe(wanted: string): string {
  const allowed = wanted.toWellFormed().normalize('NFC').replace(FORBIDDEN, '_');
  // Windows drops trailing dots and spaces, and "." and ".." are other directories.
  const plain = withoutTrailing(allowed, '. ');
  return plain === '' ? '_' : plain.replace(RESERVED, '_$&');
}

/** A name that already has the ending keeps its own spelling of it. */
function parts(name: string, ending: string): { stem: string; ending: string } {
  const own = extname(name);
  const isOwn = ending === '' ? Buffer.byteLength(own) <= MOST_ENDING_BYTES : fold(own) === fold(ending);
  const last = isOwn ? own : ending;
  const stem = isOwn && own !== '' ? name.slice(0, -own.length) : name;
  return { stem: shortened(stem, MOST_BYTES - Buffer.byteLength(last)), ending: last };
}

function shortened(text: string, mostBytes: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > mostBytes) return text.slice(0, length).trimEnd();
    length += character.length;
  }
  return text;
}

/** A folder of a tree. */
export interface TreeFolder {
  id: string;
  name: string;
  /** "" at the root. */
  parent_id: string;
}

/** A folder and its location on disk; the root has no folder. */
export interface PlacedFolder<F> {
  folder: F | undefined;
  /** Its directory, relative to the export. */
  path: string;
  /** The names within it. */
  names: FileNames;
  children: F[];
}

/** Maximum bytes of a directory's path; systems permit 4,096, part of which the target directory uses. */
const MOST_PATH_BYTES = 1_500;

/**
 * The folders of a tree below `root`, each after its parent; the names of the subfolders are already taken in their
 * parent's `names`. A folder that is nested too deeply is placed directly below the root.
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
