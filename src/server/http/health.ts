import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ApiError } from '../../contract/errors.ts';
import type { Exchange } from './exchange.ts';
import type { HttpServer } from './http-server.ts';

/** The figures of one process, in the text format of Prometheus. No label names a caller or an object. */
export class Metrics {
  readonly registry = new Registry();
  #durations: Histogram<'operation' | 'status'>;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.#durations = new Histogram({
      name: 'atrium_http_request_duration_seconds',
      help: 'Time from the request line to the last byte of the answer.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [this.registry],
    });
  }

  /** Adds a figure that is asked for when the figures are read; none is said where that fails. */
  addGauge(name: string, help: string, measure: () => Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.reset();
        await measure().then(
          (value) => this.set(value),
          () => this.remove(),
        );
      },
    });
  }

  /** Records one answered request of an operation. */
  ofOperation(operation: string): (status: number, seconds: number) => void {
    return (status, seconds) => this.#durations.observe({ operation, status }, seconds);
  }
}

/** What must answer for the server to be ready. */
interface Readiness {
  check(): Promise<void>;
}

/** Registers the operations of operations: no key needed, and none shows data. */
export function registerHealth(server: HttpServer, readiness: Readiness, metrics: Metrics): void {
  server.route('GET', '/healthz', async (exchange) => sendText(exchange, 'ok\n'));
  server.route('GET', '/readyz', async (exchange) => {
    await readiness.check().catch(refuseUnready);
    sendText(exchange, 'ready\n');
  });
  server.route('GET', '/metrics', async (exchange) => {
    const text = await metrics.registry.metrics();
    sendText(exchange, text, metrics.registry.contentType);
  });
}

/** Whatever it lacks, such as room on a disk: a server that is not ready cannot serve now. */
function refuseUnready(cause: unknown): never {
  throw new ApiError(
    'unavailable',
    'The server is not ready: its storage cannot take what is sent.',
    {},
    { cause },
  );
}

function sendText(exchange: Exchange, text: string, type = 'text/plain; charset=utf-8'): void {
  exchange.headers['content-type'] = type;
  exchange.send(200, text);
}
