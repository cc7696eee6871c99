import { withoutTrailing } from '../../../text/trailing.ts';
import { inputOfText } from '../text-input.ts';

/** A number as JSON writes it: no leading zero, no plus, no blanks, no separators of thousands. */
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/**
 * The input of a cell for a field: TRUE and FALSE are booleans, what is written exactly as a number is a number, the
 * rest is text. A number of which digits would be lost, such as that of a card, stays text as well.
 */
export function inputOfField(field: string): string | number | boolean {
  if (field === 'TRUE') return true;
  if (field === 'FALSE') return false;
  return NUMBER.test(field) ? numberOrText(field) : inputOfText(field);
}

function numberOrText(field: string): string | number {
  const number = Number(field);
  const isExact = Number.isFinite(number) && digitsOf(field) === digitsOf(String(number));
  // JSON has no -0, and a cell cannot hold what no answer can show.
  return isExact ? number + 0 : field;
}

/** The digits that matter, without the zeros around them. */
function digitsOf(number: string): string {
  const [mantissa = ''] = number.toLowerCase().split('e');
  return withoutTrailing(mantissa.replace(/[-.]/g, '').replace(/^0+/, ''), '0');
}
