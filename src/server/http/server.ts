import { HttpServer } from './http-server.ts';
import { registerOperations } from './routes.ts';
import type { ServerDependencies } from './server-dependencies.ts';

/** The HTTP door with every declared operation. */
export function createServer(parts: ServerDependencies): HttpServer {
  const server = new HttpServer(parts);
  registerOperations(server, parts);
  return server;
}
