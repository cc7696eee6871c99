/**
 * The own members of an object with these names, and no others. A value that is spread over a row or next to a
 * caller must contain no other member, whatever the request contains.
 */
export function picked<T extends object, Name extends keyof T>(
  from: T,
  names: readonly Name[],
): Pick<T, Name> {
  const kept: Partial<Pick<T, Name>> = {};
  for (const name of names) if (Object.hasOwn(from, name)) kept[name] = from[name];
  return kept as Pick<T, Name>;
}
