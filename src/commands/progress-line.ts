const REFRESH_MS = 200;

/** A line on standard error that shows how far long work has come; where nobody looks at it, nothing is written. */
export class ProgressLine {
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(text: () => string) {
    if (!process.stderr.isTTY) return;
    this.#timer = setInterval(() => process.stderr.write(`\r\x1b[K${text()}`), REFRESH_MS);
  }

  end(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    process.stderr.write('\r\x1b[K');
  }
}
