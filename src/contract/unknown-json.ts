/** The members of an object, of which nothing is known yet. */
export type Members = Record<string, unknown>;

/** The objects of a list with their places in it, as they came; of what is no list, none. */
export function objectsIn(list: unknown): [Members, number][] {
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown, i): [unknown, number] => [item, i]).filter(isIndexedObject);
}

/** Whether what came is an object: no list and not null. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIndexedObject(entry: [unknown, number]): entry is [Members, number] {
  return isObject(entry[0]);
}
