/** JSON of a value with the members of each object in order: the same for the same arguments, however they are sent. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member) => (isObject(member) ? sorted(member) : member));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : Number(a > b))));
}
