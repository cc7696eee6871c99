import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import { type Finding, finding } from './finding.ts';

const WAIT_MS = 3_000;

/** Whether the ports are free, or held by an Atrium that answers. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  const { host, port, smtpPort } = config;
  return [
    await checkPort('HTTP port', 'ATRIUM_PORT', host, port, () => answersHttp(config)),
    ...(smtpPort === undefined
      ? []
      : [await checkPort('SMTP port', 'ATRIUM_SMTP_PORT', host, smtpPort, () => greets(host, smtpPort))]),
  ];
}

function checkPort(
  check: string,
  setting: string,
  host: string,
  port: number,
  isOurs: () => Promise<boolean>,
): Promise<Finding> {
  return finding(
    check,
    async () => {
      if (await isFree(host, port))
        return { state: 'ok', message: port === 0 ? 'Any that is free.' : `${host}:${port} is free.` };
      if (await isOurs())
        return { state: 'ok', message: `${host}:${port} is held by a server that answers.` };
      const message = `${host}:${port} is held by another program. End that, or set ${setting} to another port.`;
      return { state: 'fail', message };
    },
    `Set ATRIUM_HOST and ${setting} to an address and a port of this machine that Atrium may use.`,
  );
}

/** Rejects where nobody could listen. */
function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
}

/** Whoever answers is asked what it is, not who: its certificate may be for another name. */
function answersHttp({ host, port, tls }: Config): Promise<boolean> {
  const options = { host, port, path: '/healthz', timeout: WAIT_MS };
  return new Promise((resolve) => {
    const request = tls ? getHttps({ ...options, rejectUnauthorized: false }) : getHttp(options);
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
    request.once('response', (response) =>
      text(response).then(
        (body) => resolve(body === 'ok\n'),
        () => resolve(false),
      ),
    );
  });
}

function greets(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: WAIT_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => end(/^220[ -]/.test(data.toString('latin1'))));
    for (const event of ['timeout', 'error', 'close'] as const) socket.once(event, () => end(false));
  });
}
