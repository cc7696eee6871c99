/**
 * Runs one PostgreSQL with an empty database in a temporary directory, for tests; its data are in the directory that the
 * argument names, if there is one, with what an earlier one has left there. It prints the URL when the server answers, lets it crash and starts it again for each
 * line that it reads, and stops and removes everything when its standard input ends: that happens however its parent
 * dies. A server that ends by itself is started again until it answers, as a service manager would.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { answering, makeData, optionsOf, own, ownerOfServer, programs, USER } from './postgres-programs.ts';

const START_AGAIN_AFTER_MS = 100;

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
  if (!existsSync(join(data, 'PG_VERSION'))) makeData(bin, data, owner);
  const options = optionsOf({ unix_socket_directories: directory });
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

// The parent may be gone before it could be told: then the end of standard input says so.
process.stdout.on('error', () => undefined);

const directory = await mkdtemp(join(tmpdir(), 'atrium-postgres-'));
try {
  await serve(directory, process.argv[2] ?? join(directory, 'data'));
} finally {
  await rm(directory, { recursive: true, force: true });
}
