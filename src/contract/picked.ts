/**
 * The members of these names that an object has itself, and no others: what is spread over a row or beside a caller has no
 * member that is not named, whatever a request has brought.
 */
export function picked<T extends object, Name extends keyof T>(
  from: T,
  names: readonly Name[],
): Pick<T, Name> {
  const kept: Partial<Pick<T, Name>> = {};
  for (const name of names) if (Object.hasOwn(from, name)) kept[name] = from[name];
  return kept as Pick<T, Name>;
}
