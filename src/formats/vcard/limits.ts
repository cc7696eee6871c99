/** Bytes of a property, unfolded: what is longer is passed over, or fails its card where it would be needed. */
export const MAX_LINE = 256 * 1024;

/** Bytes of the properties of one card that are needed. */
export const MAX_CARD = 1024 * 1024;

/** Properties of one card that are needed. */
export const MAX_PROPERTIES = 2_000;
