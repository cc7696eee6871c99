import { isSerial } from '../../serial-date.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { withDay } from './day.ts';

const SECONDS_A_DAY = 86_400;

export const YEAR = define('YEAR', ['number'], ([serial]) => withDay(serial, ({ year }) => year));

export const MONTH = define('MONTH', ['number'], ([serial]) => withDay(serial, ({ month }) => month));

export const DAY = define('DAY', ['number'], ([serial]) => withDay(serial, ({ day }) => day));

export const HOUR = define('HOUR', ['number'], ([serial]) =>
  withSecond(serial, (second) => Math.floor(second / 3600)),
);

export const MINUTE = define('MINUTE', ['number'], ([serial]) =>
  withSecond(serial, (second) => Math.floor(second / 60) % 60),
);

export const SECOND = define('SECOND', ['number'], ([serial]) => withSecond(serial, (second) => second % 60));

/** The second of the day that is nearest to a serial number. */
function withSecond(serial: number, make: (second: number) => number): Value {
  if (!isSerial(serial)) return ERROR['#NUM!'];
  return make(Math.round((serial - Math.floor(serial)) * SECONDS_A_DAY) % SECONDS_A_DAY);
}
