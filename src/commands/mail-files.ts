import { findInFile } from './mail-file.ts';
import type { FoundMessage, ReadProgress, SkippedSource } from './mail-source.ts';
import { filesIn } from './named-files.ts';

/**
 * Every message in the files and directories, in the order of their names: single messages (.eml, Maildir) and mailbox
 * files (mbox). What cannot be one is told, never thrown. Files are read synchronously: the way through the thread pool
 * takes ten times as long as the reading itself.
 */
export async function* findMessages(
  paths: readonly string[],
  progress: ReadProgress,
): AsyncGenerator<FoundMessage | SkippedSource> {
  for (const found of filesIn(paths)) {
    if (found.kind === 'skipped') yield found;
    else yield* findInFile(found.path, found.modifiedAt, progress);
  }
}
