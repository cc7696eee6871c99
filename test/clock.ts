import type { TestContext } from 'node:test';

/** Lets so many milliseconds pass for this process, the servers in it included, until the test ends. */
export function setClockAhead(t: TestContext, ms: number): void {
  const monotonicNow = performance.now.bind(performance);
  t.mock.method(performance, 'now', () => monotonicNow() + ms);
  putClock(t, ms);
}

/** Puts the clock of this process by so many milliseconds, back when negative, until the test ends; no time passes. */
export function putClock(t: TestContext, ms: number): void {
  const { now } = Date;
  t.mock.method(Date, 'now', () => now() + ms);
}

/** Stops the clock that measures how long work takes: nothing takes any time until the test ends. */
export function stopMeasuring(t: TestContext): void {
  const at = performance.now();
  t.mock.method(performance, 'now', () => at);
}
