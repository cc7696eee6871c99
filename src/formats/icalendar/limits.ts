/** Bytes of the properties of one component that are needed. */
export const MAX_COMPONENT = 1024 * 1024;

/** STANDARD and DAYLIGHT parts of one time zone that are looked at, and the changes of its clock that are kept. */
export const MAX_OBSERVANCES = 200;
export const MAX_TRANSITIONS = 2_000;
