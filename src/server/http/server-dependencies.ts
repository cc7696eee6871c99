import type { Logger } from 'pino';
import type { Operation } from '../../contract/operation.ts';
import type { Cursors } from '../../contract/pagination.ts';
import type { Authentication } from '../../contract/principal.ts';
import type { Database } from '../../storage/database.ts';
import type { Metrics } from './health.ts';
import type { Patience } from './node-server.ts';
import type { RateLimit } from './rate-limit.ts';
import type { WholeLists } from './whole-lists.ts';

/** The dependencies of a server. */
export interface ServerDependencies {
  operations: readonly Operation[];
  database: Database;
  authentication: Authentication;
  cursors: Cursors;
  rateLimit: RateLimit;
  metrics: Metrics;
  log: Logger;
  idempotencyTtlMs: number;
  wholeLists: WholeLists;
  /** PEM texts; with them, the server speaks HTTPS. */
  tls: { cert: string; key: string } | undefined;
  /** The time limits of a client. */
  patience: Patience;
}
