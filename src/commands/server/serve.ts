import { existsSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { constants } from 'node:os';
import type { Command } from 'commander';
import { type Logger, pino } from 'pino';
import { signInUrl } from '../../areas/keys/service.ts';
import { addressHere, type Listening, pageHere, quoted, shellContentOf } from '../../start/address.ts';
import { openServices, type Services } from '../../start/composition.ts';
import { type Config, readConfig } from '../../start/config.ts';
import { ownerKeyPath } from '../../start/data-directory.ts';
import { ensureFirstWorkspace } from '../../start/first-workspace.ts';
import { tryPorts, unusablePort } from '../../start/ports.ts';
import type { RunningServer } from '../../start/server.ts';

/** npm forwards a signal that the terminal has sent to the whole process group: one Ctrl-C arrives as two signals. */
const ONE_SIGNAL_MS = 500;

/**
 * Delay before the compile cache is written: the first answers come first, and the code that they load is cached too.
 */
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
  // Before anything is created, above all a key that is shown only once.
  await tryPorts(config);
  const services = await openServices(config);
  try {
    let code: string | undefined;
    const key = await ensureFirstWorkspace(services, config, async (tx, owner) => {
      code = (await services.keys.signIn.createCode(tx, owner)).secret;
    });
    if (key !== undefined)
      say(`The key of ${config.ownerEmail}, shown this once and kept in ${ownerKeyPath(config)}:\n${key}`);
    const server = await start(config, services, log);
    stopOnSignal(server, log);
    if (server.smtpAddress !== undefined) say(`Mail comes in by SMTP on ${server.smtpAddress}`);
    say(`Atrium is ready on ${server.address}`);
    say(nextSteps(config, server));
    if (code !== undefined)
      say(
        `  Sign in:   ${signInUrl(pageHere(listeningOn(config, server)), code)}\n             once, within ten minutes`,
      );
    // Node would write its compile cache at an orderly exit only, and a process may be killed.
    setTimeout(flushCompileCache, KEEP_COMPILED_AFTER_MS).unref();
  } catch (error) {
    await services.close();
    throw error;
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** The next steps for a person: a page, the reference, and a command to paste into a shell. */
function nextSteps(config: Config, server: RunningServer): string {
  const here = addressHere(listeningOn(config, server));
  const authorization = `-H "Authorization: Bearer ${shellKey(config)}"`;
  // A self-signed certificate must be named; for a publicly trusted one, the option does no harm.
  const trusting = config.tlsCertificate === undefined ? '' : `--cacert ${quoted(config.tlsCertificate)} `;
  return [
    `  Page:      ${here}/`,
    `  Reference: ${here}/docs`,
    `  Try:       curl ${trusting}${authorization} ${here}/v1/users/me`,
  ].join('\n');
}

/** The settings with the port that the server has. */
function listeningOn(config: Config, { address }: RunningServer): Listening {
  return { ...config, port: Number(new URL(address).port) || (config.tls ? 443 : 80) };
}

/** A shell expression for a key: the owner's key, if its location is known. */
function shellKey(config: Config): string {
  const path = ownerKeyPath(config);
  if (existsSync(path)) return shellContentOf(path);
  return config.ownerKey === undefined ? '$ATRIUM_KEY' : '$ATRIUM_OWNER_KEY';
}

async function start(config: Config, services: Services, log: Logger): Promise<RunningServer> {
  // Only this command loads the HTTP server.
  const { startServer } = await import('../../start/server.ts');
  try {
    return await startServer(config, services, log);
  } catch (error) {
    throw unusablePort(config, error) ?? error;
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
    say('Atrium has stopped.');
    process.exit(0);
  } catch (err) {
    log.error({ err }, 'stopping failed');
    process.exit(1);
  }
}
