import { roundToSignificant } from '../../number-text.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../function.ts';

/** A unit of measure; its size is in the first unit of its kind. */
interface Unit {
  readonly kind: string;
  readonly size: number;
  /**
   * The power to which a metric prefix counts (2 and 3 for squares and cubes); absent when the unit takes no
   * prefix.
   */
  readonly prefixPower?: 1 | 2 | 3;
  readonly binary?: true;
}

const INCH = 0.0254;
const FOOT = 12 * INCH;
const YARD = 3 * FOOT;
const MILE = 1760 * YARD;
const NAUTICAL_MILE = 1852;
const SURVEY_FOOT = 1200 / 3937;
const LIGHT_YEAR = 9_460_730_472_580_800;
const PARSEC = 30_856_775_814_913_672;
const POINT = INCH / 72;
const POUND = 453.59237;
const GRAIN = POUND / 7000;
const GALLON = 231 * INCH ** 3;
const BRITISH_GALLON = 0.00454609;
const LITER = 0.001;
const GRAVITY = 9.80665;
const CALORIE = 4.1868;
const HOUR = 3600;
const FORCE_POUND = (POUND / 1000) * GRAVITY;
const HORSEPOWER = 550 * FOOT * FORCE_POUND;
const BTU = 1055.05585262;

/** The units of each kind with their sizes; `*` marks units with metric prefixes. */
const KINDS: Record<string, Record<string, number>> = {
  mass: {
    'g*': 1,
    sg: (FORCE_POUND / FOOT) * 1000,
    lbm: POUND,
    'u*': 1.6605390666e-24,
    ozm: POUND / 16,
    grain: GRAIN,
    cwt: 100 * POUND,
    shweight: 100 * POUND,
    uk_cwt: 112 * POUND,
    lcwt: 112 * POUND,
    hweight: 112 * POUND,
    stone: 14 * POUND,
    ton: 2000 * POUND,
    uk_ton: 2240 * POUND,
    LTON: 2240 * POUND,
    brton: 2240 * POUND,
  },
  distance: {
    'm*': 1,
    mi: MILE,
    Nmi: NAUTICAL_MILE,
    in: INCH,
    ft: FOOT,
    yd: YARD,
    'ang*': 1e-10,
    ell: 45 * INCH,
    'ly*': LIGHT_YEAR,
    'parsec*': PARSEC,
    'pc*': PARSEC,
    Picapt: POINT,
    Pica: POINT,
    pica: INCH / 6,
    survey_mi: 5280 * SURVEY_FOOT,
  },
  time: {
    yr: 365.25 * 24 * HOUR,
    day: 24 * HOUR,
    d: 24 * HOUR,
    hr: HOUR,
    mn: 60,
    min: 60,
    'sec*': 1,
    's*': 1,
  },
  pressure: {
    'Pa*': 1,
    'p*': 1,
    'atm*': 101325,
    'at*': 101325,
    'mmHg*': 133.322,
    psi: FORCE_POUND / INCH ** 2,
    Torr: 101325 / 760,
  },
  force: { 'N*': 1, 'dyn*': 1e-5, 'dy*': 1e-5, lbf: FORCE_POUND, 'pond*': GRAVITY / 1000 },
  energy: {
    'J*': 1,
    'e*': 1e-7,
    'c*': 4.184,
    'cal*': CALORIE,
    'eV*': 1.602176487e-19,
    'ev*': 1.602176487e-19,
    HPh: HORSEPOWER * HOUR,
    hh: HORSEPOWER * HOUR,
    'Wh*': HOUR,
    'wh*': HOUR,
    flb: FOOT * FORCE_POUND,
    BTU,
    btu: BTU,
  },
  power: { HP: HORSEPOWER, h: HORSEPOWER, PS: 75 * GRAVITY, 'W*': 1, 'w*': 1 },
  magnetism: { 'T*': 1, 'ga*': 1e-4 },
  volume: {
    tsp: GALLON / 768,
    tspm: 5e-6,
    tbs: GALLON / 256,
    oz: GALLON / 128,
    cup: GALLON / 16,
    pt: GALLON / 8,
    us_pt: GALLON / 8,
    'uk_pt*': BRITISH_GALLON / 8,
    qt: GALLON / 4,
    uk_qt: BRITISH_GALLON / 4,
    gal: GALLON,
    uk_gal: BRITISH_GALLON,
    'l*': LITER,
    'L*': LITER,
    'lt*': LITER,
    barrel: 42 * GALLON,
    bushel: 2150.42 * INCH ** 3,
    MTON: 40 * FOOT ** 3,
    regton: 100 * FOOT ** 3,
    GRT: 100 * FOOT ** 3,
  },
  area: {
    uk_acre: 4840 * YARD ** 2,
    us_acre: 43560 * SURVEY_FOOT ** 2,
    'ar*': 100,
    ha: 10000,
    Morgen: 2500,
  },
  information: { 'bit*': 1, 'byte*': 8 },
  speed: {
    admkn: (6080 * FOOT) / HOUR,
    kn: NAUTICAL_MILE / HOUR,
    'm/h*': 1 / HOUR,
    'm/hr*': 1 / HOUR,
    'm/s*': 1,
    'm/sec*': 1,
    'mph*': MILE / HOUR,
  },
};

/** Lengths whose squares and cubes are units too; `*` marks units with metric prefixes. */
const LENGTHS: Record<string, number> = {
  'm*': 1,
  mi: MILE,
  Nmi: NAUTICAL_MILE,
  in: INCH,
  ft: FOOT,
  yd: YARD,
  'ang*': 1e-10,
  ly: LIGHT_YEAR,
  Picapt: POINT,
  Pica: POINT,
};

/** All units by name, except temperatures, whose scales are not proportional. */
const UNITS: ReadonlyMap<string, Unit> = new Map([...simple(), ...powers(2, 'area'), ...powers(3, 'volume')]);

function* simple(): Generator<[string, Unit]> {
  for (const [kind, units] of Object.entries(KINDS)) {
    for (const [name, size] of Object.entries(units)) yield entry(name, kind, size, 1);
  }
}

function* powers(power: 2 | 3, kind: string): Generator<[string, Unit]> {
  for (const [name, size] of Object.entries(LENGTHS)) {
    const [plain, star] = name.endsWith('*') ? [name.slice(0, -1), '*'] : [name, ''];
    yield entry(`${plain}${power}${star}`, kind, size ** power, power);
    yield entry(`${plain}^${power}${star}`, kind, size ** power, power);
  }
}

function entry(name: string, kind: string, size: number, power: 1 | 2 | 3): [string, Unit] {
  if (!name.endsWith('*')) return [name, { kind, size }];
  const binary = kind === 'information' ? { binary: true as const } : {};
  return [name.slice(0, -1), { kind, size, prefixPower: power, ...binary }];
}

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

/** Temperature scales: degrees for each kelvin, and the reading at 0 K. */
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

/** Finds a unit, with a prefix if it takes one; a complete name takes precedence over prefix plus name. */
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

/** Only kelvins take prefixes. */
function scaleOf(name: string): readonly [perKelvin: number, atZero: number] | undefined {
  const [, prefix = '', kelvin] = /^(.{0,2}?)(K|kel)$/.exec(name) ?? [];
  const power = METRIC[prefix];
  return kelvin !== undefined && power !== undefined ? [10 ** -power, 0] : SCALES[name];
}

function convertTemperature(value: number, from: string, to: string): number | undefined {
  const [one, other] = [scaleOf(from), scaleOf(to)];
  if (!one || !other) return undefined;
  if (from === to) return value;
  return roundToSignificant(((value - one[1]) / one[0]) * other[0] + other[1]);
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
