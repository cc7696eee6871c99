import { ERROR, type NumericResult } from '../../values.ts';
import { numeric } from '../numeric.ts';

const NUM = ERROR['#NUM!'];

function dollarsOf(
  price: number,
  given: number,
  compute: (whole: number, rest: number, fraction: number, scale: number) => number,
): NumericResult {
  const fraction = Math.trunc(given);
  if (fraction < 0) return NUM;
  if (fraction === 0) return ERROR['#DIV/0!'];
  const whole = Math.trunc(price);
  return compute(whole, price - whole, fraction, 10 ** Math.ceil(Math.log10(fraction)));
}

export const RATES = [
  numeric('EFFECT', 2, 2, (nominal, given) => {
    const periods = Math.trunc(given);
    return nominal <= 0 || periods < 1 ? NUM : (1 + nominal / periods) ** periods - 1;
  }),
  numeric('NOMINAL', 2, 2, (effective, given) => {
    const periods = Math.trunc(given);
    return effective <= 0 || periods < 1 ? NUM : ((1 + effective) ** (1 / periods) - 1) * periods;
  }),
  numeric('PDURATION', 3, 3, (rate, present, future) =>
    rate <= 0 || present <= 0 || future <= 0 ? NUM : Math.log(future / present) / Math.log1p(rate),
  ),
  numeric('RRI', 3, 3, (periods, present, future) =>
    periods <= 0 || present === 0 ? NUM : (future / present) ** (1 / periods) - 1,
  ),
  numeric('DOLLARDE', 2, 2, (price, denominator) =>
    dollarsOf(price, denominator, (whole, rest, fraction, scale) => whole + (rest * scale) / fraction),
  ),
  numeric('DOLLARFR', 2, 2, (price, denominator) =>
    dollarsOf(price, denominator, (whole, rest, fraction, scale) => whole + (rest * fraction) / scale),
  ),
];
