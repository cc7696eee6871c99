/**
 * `npm run demo`: a workspace with generated data in every area. Uses a temporary directory that is removed at the
 * end, or with `-- --data-dir DIR` a persistent one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { populate } from './populate.ts';

const MAIN = join(import.meta.dirname, '../src/main.mjs');
const AMOUNTS = { messages: 400, contacts: 60 };

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } });
const named = values['data-dir'];
const dataDir = named === undefined ? await mkdtemp(join(tmpdir(), 'atrium-demo-')) : resolve(named);
const keyFile = join(dataDir, 'owner-key');
const isNew = !existsSync(keyFile);

const server = spawn(process.execPath, [MAIN, 'serve'], {
  // Any free ports, and no welcome content in the demo data; environment variables override this.
  env: {
    ATRIUM_PORT: '0',
    ATRIUM_SMTP_PORT: '0',
    ATRIUM_WELCOME: 'off',
    ...process.env,
    ATRIUM_DATA_DIR: dataDir,
    ATRIUM_DATABASE_URL: '',
    ATRIUM_BLOBS: '',
    ATRIUM_OWNER_KEY: '',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
const ended = once(server, 'exit');

createInterface(server.stdout).on('line', (line) => {
  const [, address] = /^Atrium is ready on (\S+)$/.exec(line) ?? [];
  if (address) open(address).catch(fail);
  const [, link] = /^ {2}Sign in: +(\S+)$/.exec(line) ?? [];
  if (link) console.log(`The page, signed in once within ten minutes: ${link}`);
});
const [code] = await ended;
if (named === undefined) await rm(dataDir, { recursive: true });
process.exitCode ||= code ?? 0;

async function open(address: string): Promise<void> {
  const key = (await readFile(keyFile, 'utf8')).trim();
  if (isNew) await populate(address, key, AMOUNTS);
  console.log(invitation(address, key));
}

function fail(error: unknown): void {
  console.error('The demo could not be made:', error);
  process.exitCode = 1;
  server.kill('SIGTERM');
}

function invitation(address: string, key: string): string {
  return `
The demo is ready on ${address} (its reference: ${address}/docs), in ${dataDir}.

  ATRIUM=${address}
  KEY=${key}
  get() { curl -s -H "Authorization: Bearer $KEY" "$ATRIUM/v1/$1"; }

  get 'messages?label=money&limit=3'
  get 'contacts?q=galois'
  get files
  get documents
  get calendars
  get resources

Ctrl-C ends it${named === undefined ? ', and removes what it has made' : ''}.`;
}
