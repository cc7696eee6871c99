import { closeSync, openSync, statSync } from 'node:fs';

/** SQLITE_CORRUPT, of the file or of FTS5, and SQLITE_NOTADB: the last eight bits of the code (https://sqlite.org/rescode.html). */
export function isDamage(error: unknown): boolean {
  const { errcode = 0 } = error as { errcode?: number };
  const code = errcode & 0xff;
  return code === 11 || code === 26;
}

/** Names a file while it is there, or open; undefined where there is none. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}

/** Makes a file that only its owner reads: SQLite would use the umask, and it gives its log the same mode. */
export function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', 0o600));
}
