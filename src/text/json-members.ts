/** The members of an object as JSON without its braces, to be put together with those of others. */
export function jsonMembers(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
