import { significant } from '../../decimals.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { UNITS, type Unit } from './units.ts';

const METRIC: Record<string, number> = {
  Y: 24,
  Z: 21,
  E: 18,
  P: 15,
  T: 12,
  G: 9,
  M: 6,
  k: 3,
  h: 2,
  da: 1,
  e: 1,
  d: -1,
  c: -2,
  m: -3,
  u: -6,
  n: -9,
  p: -12,
  f: -15,
  a: -18,
  z: -21,
  y: -24,
};
const BINARY: Record<string, number> = { Yi: 80, Zi: 70, Ei: 60, Pi: 50, Ti: 40, Gi: 30, Mi: 20, ki: 10 };

/** Temperatures by their scale: how many degrees make one kelvin, and what is shown at 0 K. */
const SCALES: Record<string, readonly [perKelvin: number, atZero: number]> = {
  K: [1, 0],
  kel: [1, 0],
  C: [1, -273.15],
  cel: [1, -273.15],
  F: [1.8, -459.67],
  fah: [1.8, -459.67],
  Rank: [1.8, 0],
  Reau: [0.8, -218.52],
};

/** Finds a unit, with a prefix where it takes one; a name that is whole goes before one that a prefix explains. */
function findUnit(name: string): Unit | undefined {
  const whole = UNITS.get(name);
  if (whole) return whole;
  for (const length of [1, 2]) {
    const unit = UNITS.get(name.slice(length));
    const factor = unit && prefixFactor(name.slice(0, length), unit);
    if (unit && factor) return { ...unit, size: unit.size * factor };
  }
  return undefined;
}

function prefixFactor(prefix: string, unit: Unit): number | undefined {
  const power = METRIC[prefix];
  if (unit.prefixPower === undefined) return undefined;
  if (power !== undefined) return 10 ** (power * unit.prefixPower);
  const binary = BINARY[prefix];
  return unit.binary && binary !== undefined ? 2 ** binary : undefined;
}

/** Kelvins alone are counted in thousands and millions too. */
function scaleOf(name: string): readonly [perKelvin: number, atZero: number] | undefined {
  const [, prefix = '', kelvin] = /^(.{0,2}?)(K|kel)$/.exec(name) ?? [];
  const power = METRIC[prefix];
  return kelvin !== undefined && power !== undefined ? [10 ** -power, 0] : SCALES[name];
}

function convertTemperature(value: number, from: string, to: string): number | undefined {
  const [one, other] = [scaleOf(from), scaleOf(to)];
  if (!one || !other) return undefined;
  if (from === to) return value;
  return significant(((value - one[1]) / one[0]) * other[0] + other[1]);
}

function convert(value: number, from: string, to: string): Value {
  const degrees = convertTemperature(value, from, to);
  if (degrees !== undefined) return degrees;
  const [one, other] = [findUnit(from), findUnit(to)];
  if (!one || !other || one.kind !== other.kind) return ERROR['#N/A'];
  return one.size === other.size ? value : value * (one.size / other.size);
}

export const CONVERT = [
  define('CONVERT', ['number', 'text', 'text'], ([value, from, to]) => convert(value, from, to)),
];
