import { MAX_TEXT } from '../../conversions.ts';
import { type CellError, ERROR } from '../../values.ts';

/** A text that was put together; #VALUE! when it is longer than a cell can hold. */
export function limited(text: string): string | CellError {
  return text.length > MAX_TEXT ? ERROR['#VALUE!'] : text;
}
