const EULER = 0.5772156649015329;

/** From here on Hankel's expansion of the orders 0 and 1 is exact to all digits. */
const FAR = 60;

/** The Bessel function of the first kind for an integer order from 0. */
export function besselJ(order: number, x: number): number {
  if (Math.abs(x) > FAR && order < Math.abs(x)) return upwards(order, x, farJ);
  if (vanishes(order, Math.abs(x))) return 0;
  const value = downwards(order, Math.abs(x))[order] ?? 0;
  return x < 0 && order % 2 === 1 ? -value : value;
}

/** The Bessel function of the second kind for an integer order from 0 and x above 0. */
export function besselY(order: number, x: number): number {
  return upwards(order, x, x > FAR ? farY : nearY);
}

/** The modified Bessel function of the first kind for an integer order from 0: a series of terms of one sign. */
export function besselI(order: number, x: number): number {
  const half = Math.abs(x) / 2;
  let term = 1;
  for (let i = 1; i <= order; i += 1) term *= half / i;
  let sum = 0;
  for (let k = 1; k < 100_000 && term > sum * 1e-17; k += 1) {
    sum += term;
    term *= (half * half) / (k * (k + order));
  }
  return x < 0 && order % 2 === 1 ? -sum : sum;
}

/**
 * The modified Bessel function of the second kind: ∫ e^(-x cosh t) cosh(nt) dt, for which a sum with equal steps
 * is exact.
 */
export function besselK(order: number, x: number): number {
  const step = 1 / 64;
  const at = (t: number) =>
    (Math.exp(order * t - x * Math.cosh(t)) + Math.exp(-order * t - x * Math.cosh(t))) / 2;
  let sum = at(0) / 2;
  for (let i = 1; i < 100_000; i += 1) {
    const term = at(i * step);
    sum += term;
    if (term <= sum * 1e-18 && x * Math.sinh(i * step) > order) break;
  }
  return sum * step;
}

/** Whether J underflows, as for orders far above x: there it is about (ex / 2n)^n. */
function vanishes(order: number, x: number): boolean {
  return order > 0 && order * Math.log((Math.E * x) / (2 * order)) < -800;
}

/** J of all orders up to `order`, by Miller's recurrence from far above downwards, where it is stable. */
function downwards(order: number, x: number): number[] {
  const start = 2 * Math.ceil((Math.max(order, x) + 20 + 6 * Math.sqrt(Math.max(order, x))) / 2);
  const values = new Array<number>(start + 2).fill(0);
  if (x === 0) return values.with(0, 1);
  values[start] = 1e-300;
  let norm = 0;
  for (let n = start; n > 0; n -= 1) {
    values[n - 1] = ((2 * n) / x) * (values[n] ?? 0) - (values[n + 1] ?? 0);
    if (Math.abs(values[n - 1] ?? 0) > 1e250) shrink(values, n - 1);
  }
  for (let n = 2; n <= start; n += 2) norm += 2 * (values[n] ?? 0);
  norm += values[0] ?? 0;
  return values.map((value) => value / norm);
}

function shrink(values: number[], from: number): void {
  for (let i = from; i < values.length; i += 1) values[i] = (values[i] ?? 0) * 1e-250;
}

/** Recurrence from the orders 0 and 1 to a higher one. */
function upwards(order: number, x: number, first: (order: 0 | 1, x: number) => number): number {
  if (order === 0) return first(0, x);
  let [below, value] = [first(0, x), first(1, x)];
  for (let n = 1; n < order && Number.isFinite(value); n += 1)
    [below, value] = [value, ((2 * n) / x) * value - below];
  return value;
}

/** Neumann's series of Y in terms of J. */
function nearY(order: 0 | 1, x: number): number {
  const j = downwards(order, x);
  const logarithm = Math.log(x / 2) + EULER;
  let sum = 0;
  for (let k = 1; 2 * k + 1 < j.length; k += 1) {
    const sign = k % 2 === 0 ? 1 : -1;
    sum +=
      order === 0
        ? (sign * (j[2 * k] ?? 0)) / k
        : ((sign * (2 * k + 1)) / (k * (k + 1))) * (j[2 * k + 1] ?? 0);
  }
  if (order === 0) return (2 / Math.PI) * (logarithm * (j[0] ?? 0) - 2 * sum);
  return (2 / Math.PI) * ((logarithm - 1) * (j[1] ?? 0) - (1 / x) * (j[0] ?? 0)) - (2 / Math.PI) * sum;
}

function farJ(order: 0 | 1, x: number): number {
  const size = Math.abs(x);
  const { p, q, angle } = hankel(order, size);
  const value = Math.sqrt(2 / (Math.PI * size)) * (p * Math.cos(angle) - q * Math.sin(angle));
  return x < 0 && order === 1 ? -value : value;
}

function farY(order: 0 | 1, x: number): number {
  const { p, q, angle } = hankel(order, x);
  return Math.sqrt(2 / (Math.PI * x)) * (p * Math.sin(angle) + q * Math.cos(angle));
}

/** Hankel's asymptotic expansion. */
function hankel(order: 0 | 1, x: number): { p: number; q: number; angle: number } {
  let [p, q, term] = [1, 0, 1];
  for (let k = 1; k < 60 && Math.abs(term) > 1e-17; k += 1) {
    term *= (4 * order * order - (2 * k - 1) ** 2) / (k * 8 * x);
    const sign = Math.floor(k / 2) % 2 === 0 ? 1 : -1;
    if (k % 2 === 1) q += sign * term;
    else p += sign * term;
  }
  return { p, q, angle: x - ((2 * order + 1) * Math.PI) / 4 };
}
