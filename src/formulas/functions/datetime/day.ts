import { type CalendarDay, fromSerial, isSerial } from '../../serial-date.ts';
import { type CellError, ERROR, type Value } from '../../values.ts';

/** What is made of the day of a serial number; #NUM! when there is no such day. */
export function withDay(serial: number, make: (day: CalendarDay) => Value): Value {
  return isSerial(serial) ? make(fromSerial(serial)) : ERROR['#NUM!'];
}

/** A serial number that was computed; #NUM! when there is no such day. */
export function serialOrError(serial: number): number | CellError {
  return isSerial(serial) ? serial : ERROR['#NUM!'];
}

/** What is made of the whole days of two serial numbers; #NUM! when either is none. */
export function withDays(
  first: number,
  second: number,
  make: (first: number, second: number) => Value,
): Value {
  if (!isSerial(first) || !isSerial(second)) return ERROR['#NUM!'];
  return make(Math.floor(first), Math.floor(second));
}
