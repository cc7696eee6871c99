/** The key itself. Throws a TypeError when it has other characters than the port allows: it becomes part of a path. */
export function checkedKey(key: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(key)) throw new TypeError('Not a blob key');
  return key;
}
