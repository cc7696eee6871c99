import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { indexBuilt } from '../search/index-built.ts';
import type { BareAnswers } from './bare-server.ts';

const MAIN = join(import.meta.dirname, '../../src/main.mjs');
const PACKAGE = join(import.meta.dirname, '../../package.json');
const BARE = join(import.meta.dirname, 'bare-server.ts');
const SMTP_READY = /^Mail comes in by SMTP on \S+:(\d+)$/;
/** How long it waits for a write of the server. */
const BUSY_MS = 5_000;
const READY = /^Atrium is ready on (http\S+)$/;

/** What `npm start` tells Node, and the environment that it gives it: the server is measured as it is run. */
const { scripts } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { scripts: { start: string } };
const START = scripts.start.split(' ');
const NODE_OPTIONS = START.filter((word) => word.startsWith('--'));
const ENVIRONMENT = Object.fromEntries(
  START.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('=')),
);

/** A server that runs as a process of its own. */
export interface Server {
  /** Such as http://127.0.0.1:8080. */
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** The key of the owner of every mailbox that is measured. */
export const OWNER_KEY = 'owner-key-of-the-benchmark';

/** What a request to the product must carry. */
export const HEADERS = { authorization: `Bearer ${OWNER_KEY}` };

/** A server that takes mail in as well. */
export interface SmtpServer extends Server {
  smtpPort: number;
}

/** The product on SQLite. */
export interface AtriumServer extends Server {
  /** Commits nothing that anybody sees, as another process might: what the server has looked up it looks up anew. */
  forget(): void;
}

/**
 * Starts `atrium serve` on a data directory, without SMTP; resolves when it is ready and has built its index of the search,
 * which would take a processor from what is measured.
 */
export async function startAtrium(dataDir: string): Promise<AtriumServer> {
  const server = await start(dataDir, { ATRIUM_SMTP_PORT: 'off' });
  await indexBuilt(dataDir);
  const database = new DatabaseSync(join(dataDir, 'atrium.sqlite'), { timeout: BUSY_MS });
  let commits = 0;
  const stop = async () => {
    database.close();
    await server.stop();
  };
  return { ...server, stop, forget: () => database.exec(`pragma user_version = ${++commits % 2}`) };
}

/** The same on SQLite, by another main file: a program that was compiled. */
export function startProgram(main: string, dataDir: string): Promise<Server> {
  return start(dataDir, { ATRIUM_SMTP_PORT: 'off' }, { main });
}

/** The same on a PostgreSQL database. */
export function startAtriumOnPostgres(dataDir: string, databaseUrl: string): Promise<Server> {
  return start(dataDir, { ATRIUM_SMTP_PORT: 'off', ATRIUM_DATABASE_URL: databaseUrl });
}

/** The same with SMTP on any free port. */
export function startAtriumWithSmtp(dataDir: string): Promise<SmtpServer> {
  return start(dataDir, { ATRIUM_SMTP_PORT: '0' });
}

/** A server with a module that was loaded before it. */
export interface PreloadedServer extends SmtpServer {
  /** Sends a message to the module, and answers what it sends back. */
  ask(message: object): Promise<unknown>;
}

/** Starts the product with a module of this path; `settings` are environment variables. */
export function startPreloaded(
  dataDir: string,
  preload: string | undefined,
  settings: NodeJS.ProcessEnv = {},
): Promise<PreloadedServer> {
  return start(dataDir, { ATRIUM_SMTP_PORT: '0', ...settings }, { preload });
}

async function start(
  dataDir: string,
  settings: NodeJS.ProcessEnv,
  { preload, main = MAIN }: { preload?: string | undefined; main?: string } = {},
): Promise<PreloadedServer> {
  const preloading = preload === undefined ? [] : ['--import', preload];
  const process_ = spawn(process.execPath, [...NODE_OPTIONS, ...preloading, main, 'serve'], {
    env: {
      ...withoutSettings(process.env),
      ...ENVIRONMENT,
      ATRIUM_DATA_DIR: dataDir,
      ATRIUM_PORT: '0',
      ATRIUM_OWNER_KEY: OWNER_KEY,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const ask = async (message: object) => {
    process_.send(message);
    return (await once(process_, 'message'))[0];
  };
  let heard = Number.NaN;
  if (!process_.stdout) throw new Error('The server has no output');
  for await (const line of createInterface(process_.stdout)) {
    const [, port] = SMTP_READY.exec(line) ?? [];
    if (port !== undefined) heard = Number(port);
    const url = READY.exec(line)?.[1];
    if (url !== undefined) return { ...running(process_, url), smtpPort: heard, ask };
  }
  throw new Error('The server ended before it was ready');
}

/** A setting of whoever runs the benchmark is not one of the server under test. */
function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('ATRIUM_')));
}

/** Starts the bare server with what it is to answer. */
export async function startBare(answers: BareAnswers): Promise<Server> {
  const process_ = fork(BARE);
  process_.send(answers);
  const [url] = await once(process_, 'message');
  return running(process_, String(url));
}

function running(process_: ChildProcess, url: string): Server {
  const stop = async () => {
    // One that has ended by itself says so no more.
    if (process_.exitCode !== null || process_.signalCode !== null) return;
    process_.kill();
    await once(process_, 'exit');
  };
  return { url, pid: process_.pid ?? 0, stop };
}

/** The memory that a server holds, in millions of bytes. */
export function residentMegabytes({ pid }: Pick<Server, 'pid'>): number {
  const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return (Number(kibibytes) * 1_024) / 1e6;
}

/** A page of a listing. */
export interface Page {
  data: unknown[];
  pagination: { next_cursor: string; has_more: boolean; limit: number };
}

/** An answer of the product. Rejects unless its status is 200. */
export async function get(server: Server, path: string): Promise<Page> {
  const response = await fetch(server.url + path, { headers: HEADERS });
  if (response.status !== 200) throw new Error(`${path}: ${await response.text()}`);
  return (await response.json()) as Page;
}
