/**
 * The values of a source, of which the next one is asked for while the last one is used: two are in memory at most. Rejects
 * with the error of the source when its turn has come, and ends the source with its own end.
 */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const values = source[Symbol.asyncIterator]();
  let next = ask(values);
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = ask(values);
      yield value;
    }
  } finally {
    await next.catch(() => undefined);
    await values.return?.();
  }
}

/** Its error is told to whoever awaits it, and to nobody else. */
function ask<T>(values: AsyncIterator<T>): Promise<IteratorResult<T>> {
  const next = values.next();
  next.catch(() => undefined);
  return next;
}
