/** Pauses that can be ended together, as when the network is back. */
export class Pauses {
  readonly #ends = new Set<() => void>();

  async of(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#ends.delete(end);
        resolve();
      };
      this.#ends.add(end);
      setTimeout(end, ms);
    });
  }

  endAll(): void {
    for (const end of this.#ends) end();
  }
}
