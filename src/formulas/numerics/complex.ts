export interface Complex {
  readonly re: number;
  readonly im: number;
}

export const complex = (re: number, im = 0): Complex => ({ re, im });

export function add(a: Complex, b: Complex): Complex {
  return { re: a.re + b.re, im: a.im + b.im };
}

export function subtract(a: Complex, b: Complex): Complex {
  return { re: a.re - b.re, im: a.im - b.im };
}

export function times(a: Complex, b: Complex): Complex {
  return { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re };
}

/** NaN for a divisor of 0. */
export function divide(a: Complex, b: Complex): Complex {
  // Smith's method: divides by the larger part, so that its square does not overflow.
  if (Math.abs(b.re) >= Math.abs(b.im)) {
    const ratio = b.im / b.re;
    const whole = b.re + b.im * ratio;
    return { re: (a.re + a.im * ratio) / whole, im: (a.im - a.re * ratio) / whole };
  }
  const ratio = b.re / b.im;
  const whole = b.re * ratio + b.im;
  return { re: (a.re * ratio + a.im) / whole, im: (a.im * ratio - a.re) / whole };
}

export const size = ({ re, im }: Complex): number => Math.hypot(re, im);
export const angle = ({ re, im }: Complex): number => Math.atan2(im, re);

function polar(length: number, turn: number): Complex {
  return { re: length * Math.cos(turn), im: length * Math.sin(turn) };
}

export const exp = (z: Complex): Complex => polar(Math.exp(z.re), z.im);
export const ln = (z: Complex): Complex => ({ re: Math.log(size(z)), im: angle(z) });

export function power(z: Complex, exponent: number): Complex {
  if (size(z) === 0) return complex(exponent > 0 ? 0 : Number.NaN);
  return polar(size(z) ** exponent, angle(z) * exponent);
}

export function root(z: Complex): Complex {
  const length = size(z);
  const re = Math.sqrt((length + Math.abs(z.re)) / 2);
  if (re === 0) return complex(0);
  const other = Math.abs(z.im) / (2 * re);
  const sign = z.im < 0 ? -1 : 1;
  return z.re >= 0 ? { re, im: sign * other } : { re: other, im: sign * re };
}

export function sin({ re, im }: Complex): Complex {
  return { re: Math.sin(re) * Math.cosh(im), im: Math.cos(re) * Math.sinh(im) };
}

export function cos({ re, im }: Complex): Complex {
  return { re: Math.cos(re) * Math.cosh(im), im: -Math.sin(re) * Math.sinh(im) };
}

/** By double angles: the quotient of cosine and sine would lose small values beside 1. */
export function cot({ re, im }: Complex): Complex {
  const below = Math.cosh(2 * im) - Math.cos(2 * re);
  if (below === Number.POSITIVE_INFINITY) return { re: 0, im: -Math.sign(im) };
  return { re: Math.sin(2 * re) / below, im: -Math.sinh(2 * im) / below };
}

export function sinh({ re, im }: Complex): Complex {
  return { re: Math.sinh(re) * Math.cos(im), im: Math.cosh(re) * Math.sin(im) };
}

export function cosh({ re, im }: Complex): Complex {
  return { re: Math.cosh(re) * Math.cos(im), im: Math.sinh(re) * Math.sin(im) };
}
