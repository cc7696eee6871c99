import type { Property } from '../content-lines/property.ts';

/** An event of a file: of its properties, those that say when it is, whom it lists, who organizes it and what blocks. */
export interface EventComponent {
  properties: Property[];
  /** The zones that its calendar defines; complete once the file is read. */
  zones: ReadonlyMap<string, ZoneComponent>;
}

/** A VTIMEZONE: each list is one STANDARD or DAYLIGHT. */
export interface ZoneComponent {
  observances: Property[][];
}

/**
 * What one component of a file came to; `index` counts from 0, time zones do not count. `line` is where it begins in the
 * file, from 1.
 */
export type ReadComponent = { index: number; line: number } & (
  | { event: EventComponent }
  | { problem: string }
);
