import type { PoolClient, QueryConfig, QueryResult } from 'pg';

/** A statement with a timeout, an option of pg that its types lack. */
export type TimedQuery = QueryConfig & {
  query_timeout: number;
  /** The workspace that it is for, where no value says so. */
  workspaceId?: string | undefined;
};

/** Ids of workspaces begin so; each statement names its workspace as a value (OPS-68). */
const WORKSPACE = 'wsp_';
const LONGEST_ID = 64;
/** What ends a transaction, and is sent in any case. */
const ENDS = new Set(['commit', 'rollback']);

/** Who says whether a statement may be sent, and hears that it was answered. */
interface Admission {
  /** Throws where it may not. */
  admit(conversation: Conversation, query: TimedQuery): void;
  heard(query: TimedQuery): void;
}

/** What one transaction asks on its connection, what it still waits for, and which workspaces it is about. */
export class Conversation {
  readonly client: PoolClient;
  /** The number of the server's process; undefined where a pooler stands between. */
  readonly backend: number | undefined;
  /** Of the statements that were sent. */
  readonly workspaces = new Set<string>();
  /** Whether one of them has written to a table that every server has: all have to be there, at the end as well. */
  isForAll = false;
  /** From then on its outcome is the server's affair. */
  isCommitting = false;
  /** Whether this node has given up what it waited for. */
  isGivenUp = false;
  /** When it is to be asked why it still waits, in milliseconds of waiting. */
  patienceMs: number | undefined;
  #refusal: unknown;
  readonly #admission: Admission;
  readonly #waiting = new Set<TimedQuery>();
  #since = 0;

  constructor(client: PoolClient, backend: number | undefined, admission: Admission) {
    this.client = client;
    this.backend = backend;
    this.#admission = admission;
  }

  /**
   * Sends a statement behind those that were sent before. Rejects with the errors of pg, and as `admit` without sending
   * it: then nothing more is sent but the end of the transaction, which must be no COMMIT of a write.
   */
  async ask(query: TimedQuery): Promise<QueryResult> {
    if (!ENDS.has(query.text)) this.#admit(query);
    if (this.#waiting.size === 0) this.#since = performance.now();
    this.#waiting.add(query);
    try {
      const answer = await sendTogether(this.client, query);
      this.#admission.heard(query);
      return answer;
    } finally {
      this.#waiting.delete(query);
      this.#since = performance.now();
      this.patienceMs = undefined;
    }
  }

  #admit(query: TimedQuery): void {
    try {
      if (this.#refusal === undefined) this.#admission.admit(this, query);
    } catch (error) {
      this.#refusal = error;
    }
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  /** Why a statement was not sent; undefined where all were. */
  get refusal(): unknown {
    return this.#refusal;
  }

  /** The statements that it waits for. */
  get waiting(): Iterable<TimedQuery> {
    return this.#waiting;
  }

  /** For how long nothing was answered of what it waits for; 0 where it waits for nothing. */
  waitedMs(now: number): number {
    return this.#waiting.size === 0 ? 0 : now - this.#since;
  }

  /** Gives up all that it waits for. The server hears nothing of it, and goes on. */
  hangUp(): void {
    this.isGivenUp = true;
    this.client.connection.stream.destroy();
  }
}

/** The workspaces that a statement names. */
export function workspacesIn({ values, workspaceId }: TimedQuery): string[] {
  if (workspaceId !== undefined) return [workspaceId];
  return (values ?? []).filter(
    (value): value is string =>
      typeof value === 'string' && value.length <= LONGEST_ID && value.startsWith(WORKSPACE),
  );
}

/** Sends a statement in one write to the network with what else is asked before the event loop goes on. */
export function sendTogether(client: PoolClient, query: string | QueryConfig): Promise<QueryResult> {
  const { stream } = client.connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
  return client.query(query);
}
