import { formatterOf } from '../../../formulas/number-format/format.ts';
import { inputOfText } from '../text-input.ts';
import type { CellInput } from '../workbook.ts';

const BEGINS_LIKE_NUMBER = /^-?[0-9]/;
/** A decimal without leading zeros, plus, blanks, exponent or separators of thousands. */
const DECIMAL = /^-?(?:0|[1-9][0-9]*)\.([0-9]+)$/;
/** Decimal places that spreadsheet programs let a format have. */
const MOST_PLACES = 30;

/**
 * The input of a cell for a field: TRUE and FALSE are booleans, and what is a number that is written back as the same text is
 * one. All else is text: 1E5, -0 or 007 may be the number of a part, and of that of a card digits would be lost.
 */
export function inputOfField(field: string): CellInput {
  if (field === 'TRUE') return true;
  if (field === 'FALSE') return false;
  return isWrittenBack(field) ? Number(field) : inputOfText(field);
}

/** The number format that a number needs to be shown as it was written, as 12.50 does; undefined where it needs none. */
export function formatOfField(field: string, input: CellInput): string | undefined {
  return typeof input === 'number' && String(input) !== field ? formatOfPlaces(field) : undefined;
}

function isWrittenBack(field: string): boolean {
  if (!BEGINS_LIKE_NUMBER.test(field)) return false;
  const number = Number(field);
  if (!Number.isFinite(number)) return false;
  if (String(number) === field) return true;
  const format = formatOfPlaces(field);
  return format !== undefined && !Object.is(number, -0) && formatterOf(format)(number) === field;
}

/** As many decimal places as a number is written with; undefined of one without any, or with too many. */
function formatOfPlaces(field: string): string | undefined {
  const places = DECIMAL.exec(field)?.[1]?.length ?? 0;
  return places > 0 && places <= MOST_PLACES ? FORMATS[places] : undefined;
}

const FORMATS = Array.from({ length: MOST_PLACES + 1 }, (_, places) => `0.${'0'.repeat(places)}`);
