import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** One folder a version: a data directory, a backup, what the version answered, and its migrations. */
export const RELEASES = join(ROOT, 'test/fixtures/upgrade');

/** The key of the owner in every one of them. */
export const KEY = 'the-key-of-the-owner-of-a-release';

const MIGRATIONS = join(ROOT, 'src/storage/schema/migrations');

const IMPORT = /^import [^;]*;\n/gm;

/** The digest of each migration, by the name of its file: of what it does, wherever the files that it imports may be. */
export function migrationDigests(): Record<string, string> {
  const files = readdirSync(MIGRATIONS).filter((name) => /^\d{4}-/.test(name));
  return Object.fromEntries(files.sort().map((name) => [name, digestOf(join(MIGRATIONS, name))]));
}

function digestOf(path: string): string {
  const text = readFileSync(path, 'utf8').replace(IMPORT, '');
  return createHash('sha256').update(text).digest('hex');
}
