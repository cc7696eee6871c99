import type { TestContext } from 'node:test';

/** What the clocks of this process are put by, in milliseconds; one mock of each, for mocks of mocks are not undone. */
const shift = { now: 0, measured: 0 };
const shifted = new WeakSet<TestContext>();

/** Lets so many milliseconds pass for this process, the servers in it included, until the test ends. */
export function setClockAhead(t: TestContext, ms: number): void {
  shiftClocks(t);
  shift.now += ms;
  shift.measured += ms;
}

/** Puts the clock of this process by so many milliseconds, back when negative, until the test ends; no time passes. */
export function putClock(t: TestContext, ms: number): void {
  shiftClocks(t);
  shift.now += ms;
}

/** Stops the clock that measures how long work takes: nothing takes any time until the test ends. */
export function stopMeasuring(t: TestContext): void {
  const at = performance.now();
  t.mock.method(performance, 'now', () => at);
}

function shiftClocks(t: TestContext): void {
  if (shifted.has(t)) return;
  shifted.add(t);
  const [now, measured] = [Date.now, performance.now.bind(performance)];
  t.mock.method(Date, 'now', () => now() + shift.now);
  t.mock.method(performance, 'now', () => measured() + shift.measured);
  t.after(() => {
    shift.now = 0;
    shift.measured = 0;
  });
}
