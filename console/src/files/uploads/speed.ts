/** The speed is that of these last milliseconds: parts arrive in jumps. */
const WINDOW_MS = 8000;

/** How fast something goes on. */
export class Speed {
  readonly #steps: { at: number; done: number }[] = [];

  /** Units in a second, after so many are done. */
  after(done: number, at = performance.now()): number {
    this.#steps.push({ at, done });
    while (this.#steps.length > 2 && (this.#steps[0]?.at ?? at) < at - WINDOW_MS) this.#steps.shift();
    const first = this.#steps[0] ?? { at, done };
    return at > first.at ? ((done - first.done) / (at - first.at)) * 1000 : 0;
  }
}
