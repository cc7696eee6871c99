/** Runs one tab at a time. Without locks (an insecure context), each runs: the Idempotency-Keys make it once. */
export async function withLock<T>(name: string, run: () => Promise<T>): Promise<T> {
  if (!('locks' in navigator)) return run();
  return navigator.locks.request(name, run) as Promise<T>;
}

/** Runs unless another tab is at it. */
export async function unlessLocked(name: string, run: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator)) return run();
  await navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? run() : undefined));
}

/** Holds a lock until the function that it returns is called, or the tab is closed. */
export function holdLock(name: string): () => void {
  if (!('locks' in navigator)) return () => undefined;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  void navigator.locks.request(name, () => held);
  return release;
}

/** Whether a tab holds a lock. */
export async function isLocked(name: string): Promise<boolean> {
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some((lock) => lock.name === name);
}

/** 128 random bits; browsers lack randomUUID in insecure contexts. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
