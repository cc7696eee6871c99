import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Balancer } from './balancer.ts';

const TRIES = 5;

/** What is set otherwise than the tests of several nodes need it. */
interface Options {
  /** Nothing is set but where the servers are: nginx speaks HTTP 1.0 to them, and holds answers back until a buffer is full. */
  isPlain?: boolean;
}

/** The header in which nginx says which server has answered, as host:port. */
export const ANSWERED_BY = 'x-answered-by';

/** nginx as its documentation sets it up for several servers, passing bodies on as they come. Rejects when it does not start. */
export async function startNginx(
  targets: readonly string[],
  { isPlain = false }: Options = {},
): Promise<Balancer> {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-nginx-'));
  for (let tries = 0; tries < TRIES; tries++) {
    const port = await freePort();
    const process_ = await start(directory, port, configuration(directory, { port, targets, isPlain }));
    if (process_) return { address: `http://127.0.0.1:${port}`, stop: () => stop(process_, directory) };
  }
  throw new Error('nginx does not start');
}

/** Undefined when somebody else was given the port meanwhile. */
async function start(directory: string, port: number, configured: string): Promise<ChildProcess | undefined> {
  const path = join(directory, 'nginx.conf');
  await writeFile(path, configured);
  const process_ = spawn('nginx', ['-p', directory, '-c', path, '-e', 'stderr'], { stdio: 'ignore' });
  while (process_.exitCode === null) {
    const answers = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      (answer) => answer.text(),
      () => '',
    );
    if (answers === 'ok\n') return process_;
    await pause(20);
  }
  return undefined;
}

/** Requests over kept connections, and bodies in both directions as they come. */
const PASSING_ON = `
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_request_buffering off;
      proxy_buffering off;`;

/** Whether nginx is installed. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status === 0;
}

async function stop(process_: ChildProcess, directory: string): Promise<void> {
  const exit = once(process_, 'exit');
  process_.kill('SIGTERM');
  await exit;
  await rm(directory, { recursive: true, force: true });
}

function configuration(
  directory: string,
  { port, targets, isPlain }: { port: number; targets: readonly string[]; isPlain: boolean },
): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${directory}/pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  client_max_body_size 0;
  upstream atrium {
    ${targets.map((target) => `server ${new URL(target).host};`).join('\n    ')}
    keepalive 16;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://atrium;
      ${isPlain ? '' : PASSING_ON}
      add_header ${ANSWERED_BY} $upstream_addr;
    }
  }
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
