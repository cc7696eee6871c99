import { HttpServer } from './http-server.ts';
import { registerOperations } from './routes.ts';
import type { ServerParts } from './server-parts.ts';

/** The HTTP door with every declared operation. */
export function createServer(parts: ServerParts): HttpServer {
  const server = new HttpServer(parts);
  registerOperations(server, parts);
  return server;
}
