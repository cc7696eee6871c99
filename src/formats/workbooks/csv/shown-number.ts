import { formatterOf } from '../../../formulas/number-format/format.ts';

/** Built-in formats that each program shows in the language of its user; here there is none, and ISO 8601 is read by all. */
const LOCAL_DATES: ReadonlyMap<string, string> = new Map([
  ['mm-dd-yy', 'yyyy-mm-dd'],
  ['m/d/yy h:mm', 'yyyy-mm-dd hh:mm'],
]);

/**
 * A number as it is shown in the number format of a code, without the blanks that only align it; as it is where the code shows
 * nothing of such a number, as those of dates do of negative ones.
 */
export function shownNumber(value: number, code: string): string {
  return formatterOf(LOCAL_DATES.get(code) ?? code)(value)?.trim() ?? String(value);
}
