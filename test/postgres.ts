import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const NAMED = 'ATRIUM_TEST_POSTGRES_URL';

/** A PostgreSQL that runs for tests. */
export interface PostgresServer {
  /** Of a database that exists, with a user that may create others. */
  readonly url: string;
  /** Ends it as a crash would, and starts it again on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

let ofThisProcess: Promise<PostgresServer> | undefined;

/** The server of this test run: the one that the environment names, else one started now that ends with this process. */
export async function postgresUrl(): Promise<string> {
  const named = process.env[NAMED];
  if (named) return named;
  ofThisProcess ??= startPostgres();
  return (await ofThisProcess).url;
}

/** Starts a server for this process and those that it starts, unless the environment names one. */
export async function providePostgres(): Promise<PostgresServer | undefined> {
  if (process.env[NAMED]) return undefined;
  const server = await startPostgres();
  process.env[NAMED] = server.url;
  return server;
}

/**
 * Starts one to have it alone, with its data in this directory if one is named: an empty one, or that of an earlier server. The server ends with this process
 * in any case, and does not keep it alive.
 */
export async function startPostgres(...dataDir: [] | [string]): Promise<PostgresServer> {
  // In a group of its own, out of reach of the Ctrl-C that ends this process.
  const keeper = spawn(process.execPath, [join(import.meta.dirname, 'postgres-keeper.ts'), ...dataDir], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(keeper, 'exit');
  const lines = createInterface(keeper.stdout)[Symbol.asyncIterator]();
  const nextLine = () => Promise.race([lines.next().then(({ value }) => String(value)), exit.then(refuse)]);
  const url = await nextLine();
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as Socket).unref();
  const restart = async () => {
    keeper.stdin.write('restart\n');
    await nextLine();
  };
  return { url, restart, stop: () => stop(keeper, exit) };
}

async function stop(keeper: ReturnType<typeof spawn>, exit: Promise<unknown>): Promise<void> {
  keeper.ref();
  keeper.stdin?.end();
  await exit;
}

function refuse(): never {
  throw new Error('PostgreSQL did not start');
}
