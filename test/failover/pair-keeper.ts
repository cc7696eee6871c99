/**
 * Runs a PostgreSQL and a standby that streams from it, for the process that has started this one: it does what each message
 * names, and answers. When its parent is gone, however that came, both end and all of it is removed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  chmod,
  chown,
  copyFile,
  lstat,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { answering, makeData, optionsOf, own, ownerOfServer, programs, USER } from '../postgres-programs.ts';

/** What the parent asks for. */
export interface Order {
  id: number;
  /** A member of ORDERS. */
  name: keyof typeof ORDERS;
  /** Of `begin`: the port where the standby reaches the primary. */
  port?: number;
  /** Of `replicate`. */
  isSynchronous?: boolean;
}

export interface OrderAnswer {
  id: number;
  /** The directory of the socket of the primary. */
  primary?: string;
  error?: string;
}

/** The name under which the standby is known to the primary. */
const STANDBY = 'standby';
const SETTINGS = {
  wal_level: 'replica',
  wal_keep_size: '256MB',
  max_wal_size: '128MB',
  min_wal_size: '32MB',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '100ms',
  // What is held back on purpose does not count as broken.
  wal_sender_timeout: '60s',
  wal_receiver_timeout: '60s',
};
/** Files that a copy of a running server does not take: https://www.postgresql.org/docs/current/continuous-archiving.html */
const LEFT_OUT = /^(postmaster\.(pid|opts)|standby\.signal|backup_label.*|pg_internal\.init|pgsql_tmp.*)$/;
/** Directories of which it takes none of the content. */
const EMPTIED = new Set([
  'pg_wal',
  'pg_replslot',
  'pg_stat_tmp',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_subtrans',
]);

/** PostgreSQL wants its directory so. */
const PRIVATE = 0o700;

/** One of the two places where a server runs, and what runs there. */
interface Place {
  data: string;
  sockets: string;
  server: ChildProcess | undefined;
}

const owner = ownerOfServer();
const directory = await mkdtemp(join(tmpdir(), 'atrium-postgres-pair-'));
let bin = '';
let replicationPort = 0;
let primary: Place = placeOf('a');
let standby: Place = placeOf('b');

function placeOf(name: string): Place {
  return { data: join(directory, name, 'data'), sockets: join(directory, name), server: undefined };
}

const ORDERS = {
  /** Makes the database, and starts both. */
  begin: async ({ port = 0 }: Order) => {
    replicationPort = port;
    await own(directory, owner);
    bin = await programs(directory, owner);
    for (const { sockets, data } of [primary, standby])
      for (const path of [sockets, data]) await own(path, owner);
    makeData(bin, primary.data, owner);
    await start(primary);
    await replicate(true);
    await rebuild();
  },
  /** Only answers where the primary is. */
  where: () => Promise.resolve(),
  /** Ends the primary at once, with all its processes. */
  killPrimary: () => kill(primary),
  /** Makes the standby the primary; its commits wait until there is a standby again. */
  promote: async () => {
    [primary, standby] = [standby, primary];
    await asked(primary, 'select pg_promote(true, 300)');
  },
  /** Makes a standby of the primary where the other server was. */
  rebuild,
  /** Kills the standby; it can be started again as it is. */
  stopStandby: () => kill(standby),
  startStandby: async () => {
    await start(standby);
    await streaming();
  },
  /** Whether commits wait for the standby. */
  replicate: ({ isSynchronous = true }: Order) => replicate(isSynchronous),
};

async function start(place: Place): Promise<void> {
  const options = optionsOf({
    ...SETTINGS,
    unix_socket_directories: place.sockets,
    primary_conninfo: `host=127.0.0.1 port=${replicationPort} user=${USER} application_name=${STANDBY}`,
  });
  const server = spawn(join(bin, 'postgres'), ['-D', place.data, ...options], {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  place.server = server;
  await answering(server);
}

async function kill(place: Place): Promise<void> {
  const { server } = place;
  place.server = undefined;
  if (server?.pid === undefined || server.exitCode !== null) return;
  const children = await childrenOf(server.pid);
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  for (const pid of children) endNow(pid);
  await exit;
  await eventually(
    () => children.every((pid) => !isAlive(pid)),
    'all processes of a killed server have ended',
  );
}

async function childrenOf(parent: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return pids.flatMap((pid, i) =>
    Number(/\) \S (\d+) /.exec(stats[i] ?? '')?.[1]) === parent ? [Number(pid)] : [],
  );
}

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function rebuild(): Promise<void> {
  await kill(standby);
  await rm(standby.data, { recursive: true, force: true });
  await own(standby.data, owner);
  await chmod(standby.data, PRIVATE);
  const client = new pg.Client({ host: primary.sockets, user: USER, database: 'postgres' });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    await copyData(primary.data, standby.data);
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await write(join(standby.data, 'backup_label'), rows[0].labelfile);
    await write(join(standby.data, 'standby.signal'), '');
  } finally {
    await client.end();
  }
  await start(standby);
  await streaming();
}

/** Copies what is there; what the server removes or writes meanwhile comes with its log. */
async function copyData(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) {
    if (LEFT_OUT.test(name)) continue;
    const [source, target] = [join(from, name), join(to, name)];
    try {
      if (!(await lstat(source)).isDirectory()) {
        await copyFile(source, target);
        await chownToOwner(target);
        continue;
      }
      await own(target, owner);
      if (!EMPTIED.has(name)) await copyData(source, target);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function write(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await chownToOwner(path);
}

async function chownToOwner(path: string): Promise<void> {
  const { uid, gid } = owner;
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Resolves when the standby receives the log. */
function streaming(): Promise<void> {
  return eventually(
    async () => (await asked(primary, 'select state from pg_stat_replication'))[0]?.state === 'streaming',
    'the standby streams',
  );
}

async function replicate(isSynchronous: boolean): Promise<void> {
  const line = `synchronous_standby_names = '${isSynchronous ? STANDBY : ''}'\n`;
  await appendFile(join(primary.data, 'postgresql.conf'), line);
  await asked(primary, 'select pg_reload_conf()');
  const isSo = async () => {
    const [row] = await asked(primary, 'show synchronous_standby_names');
    return row?.synchronous_standby_names === (isSynchronous ? STANDBY : '');
  };
  await eventually(isSo, 'the setting is read');
}

async function asked(place: Place, statement: string): Promise<Record<string, string>[]> {
  const client = new pg.Client({ host: place.sockets, user: USER, database: 'postgres' });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

async function end(): Promise<void> {
  await Promise.all([kill(primary), kill(standby)]);
  await rm(directory, { recursive: true, force: true });
  process.exit();
}

process.on('disconnect', () => void end());
process.on('message', async (order: Order) => {
  const answer: OrderAnswer = { id: order.id };
  try {
    await ORDERS[order.name](order);
    answer.primary = primary.sockets;
  } catch (error) {
    answer.error = error instanceof Error ? `${error.stack}` : String(error);
  }
  if (process.connected) process.send?.(answer);
});
// The parent sends its first order when it hears that somebody listens.
await pause(0);
process.send?.({ id: 0 } satisfies OrderAnswer);
