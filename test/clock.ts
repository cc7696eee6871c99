import type { TestContext } from 'node:test';

/** Sets the clock of this process, the servers in it included, ahead by so many milliseconds until the test ends. */
export function setClockAhead(t: TestContext, ms: number): void {
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() + ms);
}

/** Stops the clock that measures how long work takes: nothing takes any time until the test ends. */
export function stopMeasuring(t: TestContext): void {
  const at = performance.now();
  t.mock.method(performance, 'now', () => at);
}
