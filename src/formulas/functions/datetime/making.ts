import { dateOfText } from '../../date-text.ts';
import { LAST_SERIAL, toSerial } from '../../serial-date.ts';
import { ERROR } from '../../values.ts';
import { define } from '../define.ts';
import { serialOrError } from './day.ts';

const SECONDS_A_DAY = 86_400;
const MOST_OF_A_PART = 32_767;

export const DATE = define('DATE', ['number', 'number', 'number'], ([year, month, day]) => {
  const whole = Math.trunc(year);
  if (whole < 0 || whole > 9999 || Math.abs(month) > LAST_SERIAL || Math.abs(day) > LAST_SERIAL) {
    return ERROR['#NUM!'];
  }
  return serialOrError(toSerial(whole < 1900 ? whole + 1900 : whole, Math.floor(month), Math.floor(day)));
});

export const TIME = define('TIME', ['number', 'number', 'number'], (parts) => {
  if (parts.some((part) => part > MOST_OF_A_PART)) return ERROR['#NUM!'];
  const [hours, minutes, seconds] = parts.map(Math.trunc) as [number, number, number];
  const total = hours * 3600 + minutes * 60 + seconds;
  return total < 0 ? ERROR['#NUM!'] : (total % SECONDS_A_DAY) / SECONDS_A_DAY;
});

export const DATEVALUE = define('DATEVALUE', ['text'], ([text]) => {
  const serial = dateOfText(text);
  return serial === undefined ? ERROR['#VALUE!'] : Math.floor(serial);
});

export const TIMEVALUE = define('TIMEVALUE', ['text'], ([text]) => {
  const serial = dateOfText(text);
  return serial === undefined ? ERROR['#VALUE!'] : serial - Math.floor(serial);
});

export const NOW = define('NOW', [], (_, { now }) => now, { volatile: true });

export const TODAY = define('TODAY', [], (_, { now }) => Math.floor(now), { volatile: true });
