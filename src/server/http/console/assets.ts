import { readFile } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { noSuchRoute } from '../../../contract/errors.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServer } from '../http-server.ts';

/** Where the built console is: beside package.json, for the sources as for the installed package. */
const BUILT = join(dirname(findPackageJSON(import.meta.url) as string), 'console', 'dist');

/** The names of the files that the page starts with, and of the script that keeps it. */
export interface ConsoleManifest {
  main: string;
  styles: string;
  serviceWorker: string;
}

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  wasm: 'application/wasm',
};

/** The name of a built file, which contains the hash of its content: nothing else can be asked for. */
const NAME = /^[\w-]{1,100}\.(js|css|svg|wasm)$/;

/** As the build sorts them by size: the smallest first. */
const ENCODINGS = [
  { encoding: 'br', suffix: '.br', accepted: /\bbr\b/ },
  { encoding: 'gzip', suffix: '.gz', accepted: /\bgzip\b/ },
];

/** Read anew for each page: a page must name the files that are there now. Undefined where the console is not built. */
export async function readManifest(): Promise<ConsoleManifest | undefined> {
  try {
    return JSON.parse(await readFile(join(BUILT, 'manifest.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file of the console as it was built. */
export async function readAsset(name: string): Promise<Buffer> {
  return readFile(join(BUILT, name));
}

/** Serves the scripts and styles of the console. They need no key: they show no data. */
export function registerAssets(server: HttpServer): void {
  server.route('GET', '/console/assets/:name', async (exchange, { params }) => {
    const name = params.name ?? '';
    const type = TYPES[NAME.exec(name)?.[1] ?? ''];
    if (type === undefined) throw noSuchRoute(exchange.method, exchange.url);
    await sendAsset(exchange, name, type);
  });
}

async function sendAsset(exchange: Exchange, name: string, type: string): Promise<void> {
  const accepted = String(exchange.requestHeaders['accept-encoding'] ?? '');
  const encoding = ENCODINGS.find((one) => one.accepted.test(accepted));
  const body = await readAsset(`${name}${encoding?.suffix ?? ''}`).catch(() => undefined);
  if (!body) throw noSuchRoute(exchange.method, exchange.url);
  Object.assign(exchange.headers, {
    'content-type': type,
    // The name changes with the content.
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    ...(encoding && { 'content-encoding': encoding.encoding }),
  });
  exchange.send(200, body);
}
