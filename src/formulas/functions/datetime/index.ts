import type { FormulaFunction } from '../function.ts';
import { DATEDIF, DAYS, DAYS360 } from './differences.ts';
import { DAYSINMONTH, DAYSINYEAR, EASTERSUNDAY, ISLEAPYEAR, MONTHS, WEEKS, YEARS } from './libreoffice.ts';
import { DATE, DATEVALUE, NOW, TIME, TIMEVALUE, TODAY } from './making.ts';
import { EDATE, EOMONTH } from './months.ts';
import { NETWORKDAYS, NETWORKDAYS_INTL, WORKDAY, WORKDAY_INTL } from './networkdays.ts';
import { DAY, HOUR, MINUTE, MONTH, SECOND, YEAR } from './parts.ts';
import { ISOWEEKNUM, WEEKDAY, WEEKNUM } from './weeks.ts';
import { YEARFRAC } from './yearfrac.ts';

/** Days and times as serial numbers. */
export const DATETIME_FUNCTIONS: readonly FormulaFunction[] = [
  DATE,
  DATEDIF,
  DATEVALUE,
  DAY,
  DAYS,
  DAYS360,
  DAYSINMONTH,
  DAYSINYEAR,
  EASTERSUNDAY,
  EDATE,
  EOMONTH,
  HOUR,
  ISLEAPYEAR,
  ISOWEEKNUM,
  MINUTE,
  MONTH,
  MONTHS,
  NETWORKDAYS,
  NETWORKDAYS_INTL,
  NOW,
  SECOND,
  TIME,
  TIMEVALUE,
  TODAY,
  WEEKDAY,
  WEEKNUM,
  WEEKS,
  WORKDAY,
  WORKDAY_INTL,
  YEAR,
  YEARFRAC,
  YEARS,
];
