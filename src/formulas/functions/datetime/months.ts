import { daysInMonth, LAST_SERIAL, toSerial } from '../../serial-date.ts';
import { ERROR, type Value } from '../../values.ts';
import { define } from '../define.ts';
import { serialOrError, withDay } from './day.ts';

export const EDATE = define('EDATE', ['number', 'number'], ([serial, months]) =>
  monthsOn(serial, months, (year, month, day) =>
    toSerial(year, month, Math.min(day, daysInMonth(year, month))),
  ),
);

export const EOMONTH = define('EOMONTH', ['number', 'number'], ([serial, months]) =>
  monthsOn(serial, months, (year, month) => toSerial(year, month + 1, 0)),
);

function monthsOn(
  serial: number,
  months: number,
  make: (year: number, month: number, day: number) => number,
): Value {
  if (Math.abs(months) > LAST_SERIAL) return ERROR['#NUM!'];
  return withDay(serial, ({ year, month, day }) => {
    const count = year * 12 + month - 1 + Math.trunc(months);
    const target = Math.floor(count / 12);
    return target < 1900 ? ERROR['#NUM!'] : serialOrError(make(target, (count % 12) + 1, day));
  });
}
