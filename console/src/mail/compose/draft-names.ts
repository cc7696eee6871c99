/** Whether what names a draft is its id; else it has none yet. */
export function isDraftId(key: string): boolean {
  return key.startsWith('drf_');
}

/** The lane of the outbox in which the writes of a draft stand in order. `key` is its id, or names one that has none yet. */
export function laneOf(key: string): string {
  return `draft-${key}`;
}

/** What names the draft of a lane. */
export function keyOf(lane: string): string {
  return lane.slice(laneOf('').length);
}

/** The address at which a draft is written. */
export function placeOf(key: string): string {
  return isDraftId(key) ? `/mail/compose/${key}` : `/mail/compose/new?key=${key}`;
}

/** Names a draft in the list of what is not saved. */
export function unsavedId(key: string): string {
  return `draft ${key}`;
}
