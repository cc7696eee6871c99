import { columnLetters } from '../../../text/column-letters.ts';
import type { SheetFilter } from '../workbook.ts';

/** A filter as a sheet has it behind its rows; its criteria are the text that was read. */
export function filterElement({ top, left, bottom, right, columns }: SheetFilter): string {
  const range = `${columnLetters(left)}${top + 1}:${columnLetters(right)}${bottom + 1}`;
  const elements = columns.map(
    ({ offset, criteria }) => `<filterColumn colId="${offset}">${criteria}</filterColumn>`,
  );
  return `<autoFilter ref="${range}">${elements.join('')}</autoFilter>`;
}
