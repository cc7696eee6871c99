import { formatterOf } from '../../../formulas/number-format/format.ts';

/** Built-in formats that each program shows in the language of its user; here there is none, and ISO 8601 is read by all. */
const LOCAL_DATES: ReadonlyMap<string, string> = new Map([
  ['mm-dd-yy', 'yyyy-mm-dd'],
  ['m/d/yy h:mm', 'yyyy-mm-dd hh:mm'],
]);

/** What a file of separated values gave its decimals, so that they come out as they came in. */
const PLAIN_DECIMALS = /^0\.0+$/;

/**
 * A number as it is shown in the number format of a code, without the blanks that only align it; as it is where the code shows
 * nothing of such a number, as those of dates do of negative ones, and where plain decimals would lose some of its digits.
 */
export function shownNumber(value: number, code: string): string {
  const shown = formatterOf(LOCAL_DATES.get(code) ?? code)(value)?.trim() ?? String(value);
  return PLAIN_DECIMALS.test(code) && Number(shown) !== value ? String(value) : shown;
}
