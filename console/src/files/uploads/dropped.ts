/** A file with the folders that it lies in, from the outermost; without a file, an empty folder. */
export interface Dropped {
  file?: File;
  path: readonly string[];
}

/** What was dropped, with whole folders. The entries must be taken before the event ends; reading them takes longer. */
export function droppedFiles(data: DataTransfer): Promise<Dropped[]> {
  const entries = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  return Promise.all(entries.map((entry) => readEntry(entry, []))).then((lists) => lists.flat());
}

/** What was chosen by an input for files, or for a folder. */
export function chosenFiles(files: FileList): Dropped[] {
  return [...files].map((file) => ({ file, path: file.webkitRelativePath.split('/').slice(0, -1) }));
}

async function readEntry(entry: FileSystemEntry | File | null, path: readonly string[]): Promise<Dropped[]> {
  if (!entry) return [];
  if (entry instanceof File) return [{ file: entry, path }];
  if (isFile(entry))
    return [{ file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)), path }];
  if (!isDirectory(entry)) return [];
  const inside = [...path, entry.name];
  const found: Dropped[] = [];
  // One after the other: a folder may hold more than fits into memory as pending reads.
  for (const child of await childrenOf(entry)) found.push(...(await readEntry(child, inside)));
  return found.length > 0 ? found : [{ path: inside }];
}

/** A reader gives some entries at a time, and none at the end. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return children;
    children.push(...some);
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
