import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import type { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { openServices, type Services } from '../../start/composition.ts';
import { type Config, ConfigError, readConfig } from '../../start/config.ts';
import { ownerKeyPath } from '../../start/data-directory.ts';
import { ensureFirstWorkspace } from '../../start/first-workspace.ts';
import type { RunningServer } from '../../start/server.ts';

/** npm passes on what the terminal sent to the whole group: one Ctrl-C arrives as two signals. */
const ONE_SIGNAL_MS = 500;

/** The first answers go first, and what they load and compile is kept as well. */
const KEEP_COMPILED_AFTER_MS = 1_000;

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('Serve until SIGTERM or SIGINT; a second one ends at once')
    .action(serve);
}

async function serve(): Promise<void> {
  const config = readConfig();
  const log = pino(pino.destination(2));
  const services = await openServices(config);
  try {
    const key = await ensureFirstWorkspace(services, config);
    if (key !== undefined) process.stdout.write(welcome(config, key));
    const server = await start(config, services, log);
    stopOnSignal(server, log);
    if (server.smtpAddress !== undefined)
      process.stdout.write(`Mail comes in by SMTP on ${server.smtpAddress}\n`);
    process.stdout.write(`Atrium is ready on ${server.address}\n`);
    // Node by itself would keep what was compiled at an orderly end only, and a process may be killed.
    setTimeout(flushCompileCache, KEEP_COMPILED_AFTER_MS).unref();
  } catch (error) {
    await services.close();
    throw error;
  }
}

function welcome(config: Config, key: string): string {
  return `The key of ${config.ownerEmail}, shown this once and kept in ${ownerKeyPath(config)}:\n${key}\n`;
}

async function start(config: Config, services: Services, log: Logger): Promise<RunningServer> {
  // Only this command loads the HTTP door.
  const { startServer } = await import('../../start/server.ts');
  try {
    return await startServer(config, services, log);
  } catch (cause) {
    if (
      !(cause instanceof Error && 'syscall' in cause && /^(listen|getaddrinfo)$/.test(String(cause.syscall)))
    )
      throw cause;
    const isSmtp = 'port' in cause && cause.port === config.smtpPort;
    const [name, port] = isSmtp ? ['ATRIUM_SMTP_PORT', config.smtpPort] : ['ATRIUM_PORT', config.port];
    throw new ConfigError(
      `ATRIUM_HOST and ${name} name ${config.host}:${port}, which cannot be used: ${cause.message}.`,
      { cause },
    );
  }
}

function stopOnSignal(server: RunningServer, log: Logger): void {
  let firstAt: number | undefined;
  const onSignal = (signal: 'SIGINT' | 'SIGTERM'): void => {
    const now = performance.now();
    if (firstAt === undefined) {
      firstAt = now;
      void stop(server, log);
    } else if (now - firstAt > ONE_SIGNAL_MS) {
      process.exit(128 + constants.signals[signal]);
    }
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

async function stop(server: RunningServer, log: Logger): Promise<void> {
  try {
    await server.stop();
    process.exit(0);
  } catch (err) {
    log.error({ err }, 'stopping failed');
    process.exit(1);
  }
}
