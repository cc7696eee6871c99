/** Bytes of a property, unfolded: what is longer is passed over, or fails its card or component where it would be needed. */
export const MAX_LINE = 256 * 1024;
