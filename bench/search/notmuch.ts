import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { searchableMail } from './searchable-mail.ts';

const run = promisify(execFile);
/** Messages of one directory. */
const A_DIRECTORY = 10_000;
const MOST_OUTPUT = 64 * 1024 * 1024;
/** With 10,000, which is usual, a million take an hour and a half. */
const ADDED_AT_ONCE = '150000';

/** notmuch (Xapian) with the same mail. */
export interface Notmuch {
  /** The first 50 results, as it prints them. */
  search(question: string): Promise<void>;
}

/** Whether it is installed; without it there is nothing to stand beside. */
export function hasNotmuch(): boolean {
  try {
    execFileSync('notmuch', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** notmuch with so many messages; the index is kept for the next run, as other mailboxes of benchmarks are. */
export async function indexedByNotmuch(messages: number): Promise<Notmuch> {
  const directory = join(tmpdir(), `atrium-bench-notmuch-${messages}`);
  if (!existsSync(directory)) await build(directory, messages);
  return { search: (question) => searchIn(directory, question) };
}

async function build(directory: string, messages: number): Promise<void> {
  const unfinished = `${directory}-unfinished`;
  let index = 0;
  for (const { rfc822 } of searchableMail(messages)) {
    const part = join(unfinished, `mail/${Math.floor(index / A_DIRECTORY)}/cur`);
    if (index % A_DIRECTORY === 0) await mkdir(part, { recursive: true });
    await writeFile(join(part, `${index++}:2,S`), rfc822.replaceAll('\r\n', '\n'));
  }
  await configure(unfinished, unfinished);
  const env = { ...environment(unfinished), XAPIAN_FLUSH_THRESHOLD: ADDED_AT_ONCE };
  await run('notmuch', ['new', '--quiet'], { env, maxBuffer: MOST_OUTPUT });
  await configure(unfinished, directory);
  await rename(unfinished, directory);
}

/** Writes the settings into a directory that will have this name. */
async function configure(directory: string, name: string): Promise<void> {
  const settings = [
    '[database]',
    `path=${name}/mail`,
    '[user]',
    'name=Owner',
    'primary_email=owner@localhost',
  ];
  await writeFile(join(directory, 'config'), `${settings.join('\n')}\n`);
}

async function searchIn(directory: string, question: string): Promise<void> {
  const words = ['search', '--format=json', '--sort=newest-first', '--limit=50', question];
  await run('notmuch', words, { env: environment(directory), maxBuffer: MOST_OUTPUT });
}

function environment(directory: string): NodeJS.ProcessEnv {
  return { ...process.env, NOTMUCH_CONFIG: join(directory, 'config') };
}
