/** The size of a sheet. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;

/** As in Excel. A longer formula does not parse, nor one nested too deeply for the stack. */
export const MAX_FORMULA = 8_192;
export const MAX_NESTING = 256;
