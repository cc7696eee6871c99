const MIB = 1024 * 1024;

/** Bytes of a file that is read; it is held in memory as it is. */
export const MAX_FILE_SIZE = 100 * MIB;
/** Rows and columns of a sheet, and characters of a cell: those of the interface. */
export const MAX_ROWS = 1_048_576;
export const MAX_COLUMNS = 16_384;
export const MAX_CELL_LENGTH = 50_000;
/** Cells of all sheets together. */
export const MAX_CELLS = 10_000_000;
export const MAX_SHEETS = 1_000;
/** Characters of all cells together: one text, or one formula, of a few bytes may stand for any number of cells. */
export const MAX_TOTAL_LENGTH = 512 * MIB;
/** Characters of all cells together for each byte that was read; nobody asks below the allowance. */
export const MAX_REPETITION = 20;
export const LENGTH_ALLOWANCE = 16 * MIB;

/** Bytes that all that is read of an archive may inflate to. */
export const MAX_INFLATED = 1024 * MIB;
/** Real workbooks inflate to ten to fifty times their size; nobody asks below the allowance. */
export const MAX_INFLATION = 250;
export const INFLATION_ALLOWANCE = 64 * MIB;
export const MAX_ENTRIES = 20_000;
/** Elements within elements; workbooks have about ten. */
export const MAX_DEPTH = 64;
/** Characters of one piece of markup, or of one text between tags. */
export const MAX_MARKUP_LENGTH = 4 * MIB;
/** Characters of the texts that cells share, which are held in memory while the sheets are read. */
export const MAX_SHARED_LENGTH = 128 * MIB;
/** Texts that cells share, each of which costs memory though it be empty. */
export const MAX_SHARED_TEXTS = 5_000_000;
/** Defined names and tables; each is held in memory. */
export const MAX_NAMES = 10_000;
/** Styles, number formats of their own and characters of one (Excel has 65,490, 250 and 255); what is beyond counts as General. */
export const MAX_STYLES = 100_000;
export const MAX_FORMATS = 10_000;
export const MAX_FORMAT_LENGTH = 255;
/** Cells with a number format and nothing else in them; those beyond are left out. */
export const MAX_FORMATTED_EMPTY_CELLS = 200_000;

/** What a reading thread may take: time without that of waiting for who takes the cells, and memory. */
export const READ_WITHIN_MS = 600_000;
export const READ_HEAP_MIB = 768;
/** A file of so many bytes inflates to 64 MiB at most, and is read with less memory: more of them may be read at a time. */
export const SMALL_FILE = 256 * 1024;
export const SMALL_READ_HEAP_MIB = 128;
