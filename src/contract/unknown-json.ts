/** The members of an object that has not been validated. */
export type Members = Record<string, unknown>;

/** The objects in a list with their indexes, unvalidated; empty for a value that is not a list. */
export function objectsIn(list: unknown): [Members, number][] {
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown, i): [unknown, number] => [item, i]).filter(isIndexedObject);
}

/** Whether an unvalidated value is an object: neither a list nor null. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIndexedObject(entry: [unknown, number]): entry is [Members, number] {
  return isObject(entry[0]);
}
