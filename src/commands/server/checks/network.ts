import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { connect } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Config } from '../../../start/config.ts';
import { tryPort } from '../../../start/ports.ts';
import { type Finding, finding } from './finding.ts';

const WAIT_MS = 3_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Whether the ports are free, or used by a running Atrium. */
export async function checkPorts(config: Config): Promise<Finding[]> {
  const { host, port, smtpPort } = config;
  return [
    await checkPort('HTTP port', 'ATRIUM_PORT', host, port, () => isAtriumOnHttp(config)),
    ...(smtpPort === undefined
      ? []
      : [
          await checkPort('SMTP port', 'ATRIUM_SMTP_PORT', host, smtpPort, () =>
            isAtriumOnSmtp(host, smtpPort),
          ),
        ]),
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
        return { state: 'ok', message: `${host}:${port} is held by Atrium itself, which runs and answers.` };
      const message = `${host}:${port} is held by another program. End that, or set ${setting} to another port.`;
      return { state: 'fail', message };
    },
    `Set ATRIUM_HOST and ${setting} to an address and a port of this machine that Atrium may use.`,
  );
}

/** Rejects where no process could listen. */
function isFree(host: string, port: number): Promise<boolean> {
  return tryPort(host, port).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return false;
      throw error;
    },
  );
}

/**
 * Whether Atrium answers on the port, with TLS as in the settings or, because a running server may have others, the
 * other way.
 */
async function isAtriumOnHttp({ host, port, tls }: Config): Promise<boolean> {
  const ways = tls ? [getHttps, getHttp] : [getHttp, getHttps];
  for (const get of ways) if ((await titleOf(get, host, port)) === 'Atrium') return true;
  return false;
}

/**
 * The title in the server's API description. The certificate is not verified: it may be for another name, and the
 * check identifies the software only.
 */
async function titleOf(get: typeof getHttps, host: string, port: number): Promise<unknown> {
  const signal = AbortSignal.timeout(WAIT_MS);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const options = { host, port, path: '/v1/openapi.json', signal, rejectUnauthorized: false };
      get(options, resolve).once('error', reject);
    });
    return (JSON.parse(await firstPart(response)) as { info?: { title?: unknown } }).info?.title;
  } catch {
    return undefined;
  }
}

/** The answer, cut above the maximum size of such a description: another program may send without end. */
async function firstPart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) break;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** RFC 5321, 4.2: the greeting names the server and, by custom, its software. */
function isAtriumOnSmtp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: WAIT_MS });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => end(/^220 \S+ ESMTP Atrium\r\n/.test(data.toString('latin1'))));
    for (const event of ['timeout', 'error', 'close'] as const) socket.once(event, () => end(false));
  });
}

const RELAY_WAIT_MS = 5_000;

/** Whether the relay greets and accepts EHLO. The check does not log in, and sends no mail. */
export function checkRelay({ smtpRelay, domain }: Config): Promise<Finding> {
  return finding(
    'relay',
    async () => {
      if (!smtpRelay) return { state: 'ok', message: 'None: mail leaves for nobody outside.' };
      const { createTransport } = await import('nodemailer');
      const { host, port, secure } = smtpRelay;
      const transport = createTransport({
        host,
        port,
        secure,
        name: domainToASCII(domain),
        connectionTimeout: RELAY_WAIT_MS,
        greetingTimeout: RELAY_WAIT_MS,
        socketTimeout: RELAY_WAIT_MS,
      });
      await transport.verify();
      return { state: 'ok', message: `${host}:${port} answers.` };
    },
    'See that ATRIUM_SMTP_RELAY names a server that can be reached from here.',
  );
}
