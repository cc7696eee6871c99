import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError, readConfig } from './config.ts';

type Listeners = Pick<Config, 'host' | 'port' | 'smtpPort'>;

/**
 * Listens on the server's ports and closes them immediately. Rejects with ConfigError where a server could not
 * listen.
 */
export async function tryPorts(config: Listeners): Promise<void> {
  const { host, port, smtpPort } = config;
  for (const wanted of smtpPort === undefined ? [port] : [port, smtpPort]) {
    await tryPort(host, wanted).catch((error) => {
      throw unusablePort(config, error) ?? error;
    });
  }
}

/** Whether a server with the settings of the environment could listen; the command itself reports the reason. */
export function couldListen(): Promise<boolean> {
  const tried = Promise.try(() => tryPorts(readConfig()));
  return tried.then(
    () => true,
    () => false,
  );
}

/** Rejects with the system's error where no process could listen. */
export async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer();
  await once(server.listen({ host, port }), 'listening');
  await once(server.close(), 'close');
}

/** The ConfigError for an error of listening; undefined for any other error. */
export function unusablePort(config: Listeners, cause: unknown): ConfigError | undefined {
  const isOfPort =
    cause instanceof Error && 'syscall' in cause && /^(?:listen|getaddrinfo)$/.test(String(cause.syscall));
  if (!isOfPort) return undefined;
  const isSmtp = 'port' in cause && cause.port === config.smtpPort;
  const [name, port] = isSmtp ? ['ATRIUM_SMTP_PORT', config.smtpPort] : ['ATRIUM_PORT', config.port];
  return new ConfigError(
    `ATRIUM_HOST and ${name} name ${config.host}:${port}, which cannot be used: ${cause.message}.`,
    { cause },
  );
}
