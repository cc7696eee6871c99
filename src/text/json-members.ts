/** The members of an object as JSON without the braces, for joining with other members. */
export function jsonMembers(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
