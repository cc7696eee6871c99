import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Engine } from '../../src/storage/database.ts';
import { freshDatabase } from '../engines.ts';
import { OWNER_KEY } from '../harness.ts';
import { PROGRAM, programEnvironment, startEnvironment } from '../program.ts';

/** A server in a process of its own. */
export interface ServedProcess {
  address: string;
  /** The port of the SMTP door. */
  smtpPort: number;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Sends a message to what was loaded before it. */
  tell(message: object): void;
  /** Sends a message to what was loaded before it, and answers what that sends back. */
  ask(message: object): Promise<unknown>;
  /** Resolves when it has ended, however. */
  ended: Promise<unknown>;
}

/** The file that a server tells of its work, and a module that is loaded before it. */
interface Surroundings {
  log?: number | 'inherit';
  preload?: string;
}

/** Starts `atrium serve`; `settings` are its environment. */
export async function serveProcess(
  settings: Record<string, string | undefined>,
  { log = 'inherit', preload }: Surroundings = {},
): Promise<ServedProcess> {
  const options = preload === undefined ? [] : ['--import', preload];
  const child: ChildProcess = spawn(process.execPath, [...options, PROGRAM, 'serve'], {
    stdio: ['ignore', 'pipe', log, 'ipc'],
    env: {
      ...programEnvironment(),
      ...startEnvironment(),
      ATRIUM_PORT: '0',
      ATRIUM_SMTP_PORT: '0',
      ATRIUM_OWNER_KEY: OWNER_KEY,
      ...settings,
    },
  });
  const exit = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  assert.ok(child.stdout);
  const doors = await Promise.race([doorsIn(child.stdout), exit.then(() => undefined)]);
  assert.ok(doors, 'the server did not start');
  const tell = (message: object) => void child.send(message);
  const ask = async (message: object) => {
    const answered = once(child, 'message');
    tell(message);
    const [answer] = await answered;
    return answer;
  };
  return { ...doors, kill, tell, ask, ended: exit };
}

/** A server on a database that outlives it. */
export interface KilledServer {
  /** Starts it, again after it was killed. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Asks it as its owner; a body is JSON unless `type` says otherwise. */
  request(
    method: string,
    path: string,
    options?: { body?: string; type?: string; idempotencyKey?: string },
  ): Promise<{ status: number; text: string }>;
  /** Kills it and removes its data. */
  remove(): Promise<void>;
}

/** A server on a fresh database of an engine, not started yet. */
export async function killedServer(engine: Engine): Promise<KilledServer> {
  const storage = await freshDatabase(engine);
  const settings = { ATRIUM_DATA_DIR: storage.dataDir, ATRIUM_DATABASE_URL: storage.databaseUrl ?? '' };
  let server: ServedProcess | undefined;
  const kill = async () => void (await server?.kill());
  return {
    start: async () => {
      server = await serveProcess(settings);
    },
    kill,
    request: async (
      method,
      path,
      { body, type = 'application/json', idempotencyKey = randomUUID() } = {},
    ) => {
      const headers = {
        authorization: `Bearer ${OWNER_KEY}`,
        'idempotency-key': idempotencyKey,
        'if-match': '*',
        'content-type': type,
      };
      const given = body === undefined ? {} : { body };
      const answer = await fetch(`${server?.address}${path}`, { method, headers, ...given });
      return { status: answer.status, text: await answer.text() };
    },
    remove: async () => {
      await kill();
      await storage.remove();
    },
  };
}

/** Reads on after it, since a server that says more into a closed pipe would end. */
function doorsIn(output: Readable): Promise<{ address: string; smtpPort: number }> {
  return new Promise((resolve) => {
    let smtpPort = 0;
    createInterface(output).on('line', (line) => {
      smtpPort ||= Number(/^Mail comes in by SMTP on \S+:(\d+)$/.exec(line)?.[1] ?? 0);
      const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
      if (address) resolve({ address, smtpPort });
    });
  });
}
