/** Bytes of the properties of one card that are needed. */
export const MAX_CARD = 1024 * 1024;

/** Properties of one card that are needed. */
export const MAX_PROPERTIES = 2_000;
