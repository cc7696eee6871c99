import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { Atrium } from '../../../client/src/atrium.ts';
import { type ClientConfig, ConfigError, readClientConfig } from '../../start/config.ts';
import { ownerKeyPath } from '../../start/data-directory.ts';

export interface ConnectionOptions {
  url?: string;
  key?: string;
}

/** A server, and where a command may remember what it does there. */
export interface Connection {
  url: string;
  atrium: Atrium;
  dataDir: string;
}

/** Adds the options that say which server a command speaks to. */
export function withConnectionOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the server; default: ATRIUM_URL, else http://127.0.0.1:8080')
    .option(
      '--key <key>',
      'an API key; default: ATRIUM_KEY, else, for a server on this machine, that of the owner in the data directory',
    );
}

/** The server that options and settings name. Throws ConfigError. */
export function connect({ url, key }: ConnectionOptions): Connection {
  const config = readClientConfig({
    ...(url !== undefined && { ATRIUM_URL: url }),
    ...(key !== undefined && { ATRIUM_KEY: key }),
  });
  const atrium = new Atrium({ address: config.url, key: config.key ?? ownersKey(config) });
  return { url: config.url, atrium, dataDir: config.dataDir };
}

/** That of an owner with every permission: it leaves this machine only where somebody has said so. */
function ownersKey({ url, dataDir }: ClientConfig): string {
  const wanted = 'ATRIUM_KEY must be set, or an API key be given with --key';
  if (!isHere(url)) {
    throw new ConfigError(`${wanted}: the one in the data directory is for a server on this machine.`);
  }
  try {
    return readFileSync(ownerKeyPath({ dataDir }), 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`${wanted}.`, { cause });
  }
}

function isHere(url: string): boolean {
  return /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
}
