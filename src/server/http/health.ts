import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { ApiError } from '../../contract/errors.ts';
import type { Exchange } from './exchange.ts';
import type { HttpServer } from './http-server.ts';

/** The metrics of one process, in the text format of Prometheus. No label names a caller or an object. */
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

  /** Adds a gauge that is measured when the metrics are read; it has no value where the measurement fails. */
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

/** The dependency that must answer before the server is ready. */
interface Readiness {
  check(): Promise<void>;
}

/** Registers the operational endpoints: they need no key, and show no data. */
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

/** Whatever the reason, such as a full disk: a server that is not ready cannot serve. */
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
