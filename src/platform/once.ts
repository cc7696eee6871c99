/** Caches a successful result for all later callers; after a failure the next caller tries again. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
