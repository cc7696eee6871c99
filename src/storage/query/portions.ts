/** Rows that are read at a time where all are read: between two statements others have their turn. */
export const ROWS_A_PORTION = 500;

/**
 * Rows of a list without end, some hundred at a time. `read` answers the first ROWS_A_PORTION rows after this one, in an
 * order that an index has; the first of all where there is none.
 */
export async function* readInPortions<Row>(
  read: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  for (;;) {
    const rows = await read(last);
    yield rows;
    if (rows.length < ROWS_A_PORTION) return;
    last = rows.at(-1);
  }
}
