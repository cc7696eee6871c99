/** Bytes of a property, unfolded: what is longer is passed over, or fails its card or component where it would be needed. */
export const MAX_LINE = 256 * 1024;

/** The same of a property in a charset that takes long to decode, such as UTF-7: each is decoded in one turn. */
export const MAX_SLOW_LINE = 16 * 1024;

/** Parameters of one line that are read. */
export const MAX_PARAMETERS = 500;

/** Values of one parameter that are read. */
export const MAX_PARAMETER_VALUES = 500;
