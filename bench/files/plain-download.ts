/** The ceiling of every download: a plain node:http server that streams one file, and knows no key, range or name. */
import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

async function serve(path: string): Promise<string> {
  const size = statSync(path).size;
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
    pipeline(createReadStream(path), response, () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const [path] = await once(process, 'message');
process.send?.(await serve(path as string));
