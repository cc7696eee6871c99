/** Bytes of the properties of one component that are needed. */
export const MAX_COMPONENT = 1024 * 1024;

/** STANDARD and DAYLIGHT parts of one time zone that are looked at, and the changes of its clock that are kept. */
export const MAX_OBSERVANCES = 200;
export const MAX_TRANSITIONS = 2_000;

/** RFC 5545, 3.6.5 shows one rule an observance; further ones are passed over. */
export const MAX_OBSERVANCE_RULES = 2;

/**
 * What may be looked at to find the changes of one clock (see Steps): two hundred years of two rules, day by day, take
 * 150,000.
 */
export const MAX_ZONE_STEPS = 160_000;
