import { AtriumError } from '../../../client/src/index.ts';

interface Waiter {
  resolve: (data: unknown) => void;
  reject: (error: unknown) => void;
}

type Refusal = Pick<AtriumError, 'status' | 'code' | 'message' | 'details'>;

/** What the tab that sends tells the others: what became of a write, or that the stored writes have changed. */
type Told = { settled: number; data?: unknown; refusal?: Refusal } | 'changed';

/** Who waits in this tab for what becomes of writes, whichever tab sends them. */
export class Waiters {
  readonly #waiters = new Map<number, { promise: Promise<unknown>; waiter: Waiter }>();
  readonly #tabs = new BroadcastChannel('atrium-outbox');

  /** Listens to the other tabs; `onChange` is called when the stored writes have changed. */
  listen(onChange: () => void): void {
    this.#tabs.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data === 'changed') return onChange();
      if (data.refusal === undefined) return this.#take(data.settled)?.resolve(data.data);
      const refusal = { ...data.refusal, requestId: undefined, retryAfterMs: undefined };
      this.#take(data.settled)?.reject(new AtriumError(refusal));
    };
  }

  tellChanged(): void {
    this.#tabs.postMessage('changed' satisfies Told);
  }

  /** What becomes of a write; the same promise for all who ask. */
  of(id: number): Promise<unknown> {
    const known = this.#waiters.get(id);
    if (known) return known.promise;
    let waiter: Waiter | undefined;
    const promise = new Promise<unknown>((resolve, reject) => {
      waiter = { resolve, reject };
    });
    // Who does not look at the result learns of a refusal by the list of what is not saved.
    promise.catch(() => undefined);
    if (waiter) this.#waiters.set(id, { promise, waiter });
    return promise;
  }

  /** Tells the other tabs that a write is done. */
  tellDone(id: number, data: unknown): void {
    this.#tabs.postMessage({ settled: id, data } satisfies Told);
  }

  /** The write is done. */
  resolve(id: number, data: unknown): void {
    this.#take(id)?.resolve(data);
  }

  /** The server has refused the write: here and in the other tabs. */
  refuse(id: number, error: Error): void {
    const { status, code, message, details } =
      error instanceof AtriumError
        ? error
        : { status: 0, code: 'unknown' as const, message: error.message, details: {} };
    this.#tabs.postMessage({ settled: id, refusal: { status, code, message, details } } satisfies Told);
    this.#take(id)?.reject(error);
  }

  /** The write was given up. */
  reject(id: number, error: Error): void {
    this.#take(id)?.reject(error);
  }

  /** The writes that are waited for. */
  ids(): number[] {
    return [...this.#waiters.keys()];
  }

  #take(id: number): Waiter | undefined {
    const found = this.#waiters.get(id);
    this.#waiters.delete(id);
    return found?.waiter;
  }
}
