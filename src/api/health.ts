import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.ts';

/** What must answer for the server to be ready. */
export interface Readiness {
  check(): Promise<void>;
}

/** Registers the operations of operations: no key needed, and none shows data. */
export function registerHealth(server: FastifyInstance, readiness: Readiness, metrics: Metrics): void {
  server.get('/healthz', async (_request, reply) => reply.type('text/plain; charset=utf-8').send('ok\n'));
  server.get('/readyz', async (_request, reply) => {
    await readiness.check();
    return reply.type('text/plain; charset=utf-8').send('ready\n');
  });
  server.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
