import type { FastifyInstance } from 'fastify';

/** Stops accepting, lets what runs finish, and after `withinMs` ends the connections that are still busy. */
export async function closeServer(server: FastifyInstance, withinMs: number): Promise<void> {
  const deadline = setTimeout(() => server.server.closeAllConnections(), withinMs);
  try {
    await server.close();
  } finally {
    clearTimeout(deadline);
  }
}
