import type { Config } from '../config.ts';

const USUAL_PORT = 8080;

/** Where a shell on this machine will find the server; on the usual port where the settings leave it to the system. */
export function addressHere({ host, port, tls }: Pick<Config, 'host' | 'port' | 'tls'>): string {
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const name = host.includes(':') ? `[${host}]` : host;
  return `${tls ? 'https' : 'http'}://${isEverywhere ? '127.0.0.1' : name}:${port || USUAL_PORT}`;
}

/** What a shell takes for the content of a file, whatever its path. */
export function contentOf(path: string): string {
  return `$(cat '${path.replaceAll("'", "'\\''")}')`;
}
