import { randomUUID } from 'node:crypto';
import pino, { type Logger } from 'pino';
import { openServices, type Services } from '../src/start/composition.ts';
import { type Config, readConfig } from '../src/start/config.ts';
import { ensureFirstWorkspace } from '../src/start/first-workspace.ts';
import { operationsOf, type RunningServer, startServer } from '../src/start/server.ts';
import type { Engine } from '../src/storage/database.ts';
import { assertDeclared } from './declared.ts';
import { migratedDatabase } from './engines.ts';
import { exchange } from './http-client.ts';
import { insistOnLocksFirst, requireLocksFirst } from './locks-first.ts';
import { insistOnNamedWorkspaces, requireNamedWorkspaces } from './named-workspaces.ts';
import { NODES } from './nodes/count.ts';
import { provideBlobs, startNodes } from './nodes/nodes.ts';
import { insistOnPushedInsertions, requirePushedInsertions } from './pushed-insertions.ts';
import { repeatWorks } from './repeated-works.ts';

/** The key of the first user of every test application. */
export const OWNER_KEY = 'owner-key-of-the-test-application';

/** For all applications: what an operation declares is compiled for each object of it. */
const DECLARED = operationsOf({} as Services);

/** An answer as a client sees it. */
export interface Answer {
  status: number;
  headers: Headers;
  /** The exact body. */
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

/** A request; a body that is no string or bytes is sent as JSON, and a write gets a new Idempotency-Key. */
export interface RequestOptions {
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  idempotencyKey?: string | null;
}

/** A whole application on a free port, with a database and a directory of its own. Every answer is held against its declaration. */
export interface TestApp {
  address: string;
  /** Host and port of the SMTP door. */
  smtp: { host: string; port: number };
  config: Config;
  services: Services;
  request(method: string, path: string, options?: RequestOptions): Promise<Answer>;
  get(path: string, options?: RequestOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: RequestOptions): Promise<Answer>;
  delete(path: string, options?: RequestOptions): Promise<Answer>;
  /** Gives running requests so many milliseconds to finish, else as many as a server gives them. */
  stop(withinMs?: number): Promise<void>;
}

/** Starts an application; `settings` are environment variables beside those of the test. Stop it when done. */
export async function startApp(
  engine: Engine,
  settings: Record<string, string> = {},
  log: Logger = pino({ level: 'silent' }),
): Promise<TestApp> {
  insistOnLocksFirst();
  insistOnNamedWorkspaces();
  insistOnPushedInsertions();
  const hasNodes = engine === 'postgres' && NODES > 1;
  const storage = await migratedDatabase(engine);
  const blobs = hasNodes ? await provideBlobs() : undefined;
  const config = readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: '0',
    ATRIUM_DATA_DIR: storage.dataDir,
    ATRIUM_DATABASE_URL: storage.databaseUrl,
    ATRIUM_OWNER_KEY: OWNER_KEY,
    ...blobs?.settings,
    ...settings,
  });
  const services = await openServices(config);
  repeatWorks(services.database);
  await ensureFirstWorkspace(services, config);
  const server = await (hasNodes ? startNodes : startServer)(config, services, log);
  return testApp(config, services, server, async () => {
    await blobs?.stop();
    await storage.remove();
  });
}

function testApp(
  config: Config,
  services: Services,
  server: RunningServer,
  removeStorage: () => Promise<void>,
): TestApp {
  const { address } = server;
  const request = async (method: string, path: string, options: RequestOptions = {}) => {
    const answer = await send(`${address}${path}`, method, options);
    assertDeclared(DECLARED, method, path, answer);
    return answer;
  };
  const smtpPort = Number(/:(\d+)$/.exec(server.smtpAddress ?? '')?.[1]);
  return {
    address,
    smtp: { host: '127.0.0.1', port: smtpPort },
    config,
    services,
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body, options) => request('POST', path, { body, ...options }),
    put: (path, body, options) => request('PUT', path, { body, ...options }),
    delete: (path, options) => request('DELETE', path, options),
    stop: async (withinMs) => {
      await server.stop(withinMs);
      await requirePushedInsertions(config.databaseUrl).finally(removeStorage);
      requireLocksFirst();
      requireNamedWorkspaces();
    },
  };
}

async function send(url: string, method: string, options: RequestOptions): Promise<Answer> {
  const { body } = options;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const { status, headers, text } = await exchange(url, {
    method,
    headers: headersOf(method, options, body !== undefined && !isRaw),
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status, headers, text, json: isJson && text ? JSON.parse(text) : undefined };
}

/** A key, an Idempotency-Key or a header that is given as null is not sent. */
function headersOf(method: string, options: RequestOptions, isJson: boolean): Record<string, string> {
  const { key = OWNER_KEY, idempotencyKey = randomUUID() } = options;
  return {
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(method === 'GET' || idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    ...(isJson ? { 'content-type': 'application/json' } : {}),
    ...options.headers,
  };
}
