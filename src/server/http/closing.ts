import { once } from 'node:events';
import type { Server } from 'node:http';

/** How soon after its last answer a connection that is kept alive is ended. */
const LOOK_EVERY_MS = 20;

/** Stops accepting, lets what runs finish, and after `withinMs` ends the connections that are still busy. */
export async function closeServer(server: Server, withinMs: number): Promise<void> {
  // A client that has its answer would otherwise hold the server up by keeping the connection for later.
  const idle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  try {
    await once(server.close(), 'close');
  } finally {
    clearInterval(idle);
    clearTimeout(deadline);
  }
}
