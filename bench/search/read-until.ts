/**
 * What a kept index has read until then, in milliseconds since the epoch: never too long ago for the change feed. Otherwise an
 * index of last week were made anew while it is measured.
 */
export const READ_UNTIL = Date.UTC(2100, 0, 1);
