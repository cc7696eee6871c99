/** What a cell holds, in one byte: the kind of its value, and whether another cell's formula spilled it there. */
export const KIND = { empty: 0, number: 1, text: 2, false: 3, true: 4, error: 5 } as const;
export const SPILLED = 0x80;
export const KIND_BITS = 0x7f;
