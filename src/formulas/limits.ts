/** The extent of a sheet. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;

/** As in Excel; a longer formula, and one nested deeper than this machine's stack bears, does not parse. */
export const MAX_FORMULA = 8_192;
export const MAX_NESTING = 256;
