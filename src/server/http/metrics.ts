import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

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

  /** Records one answered request of an operation. */
  ofOperation(operation: string): (status: number, seconds: number) => void {
    return (status, seconds) => this.#durations.observe({ operation, status }, seconds);
  }
}
