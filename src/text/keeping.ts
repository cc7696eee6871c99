/** Longer texts are seldom compared again. */
const LONGEST_KEPT = 400;

/** Keeps what short texts come to; `mostKept`: UTF-16 units of all that is kept, after which it begins anew. */
export function keeping(compute: (text: string) => string, mostKept: number): (text: string) => string {
  const kept = new Map<string, string>();
  let charactersKept = 0;
  return (text) => {
    if (text.length > LONGEST_KEPT) return compute(text);
    const known = kept.get(text);
    if (known !== undefined) return known;
    const computed = compute(text);
    charactersKept += text.length + computed.length;
    if (charactersKept > mostKept) {
      kept.clear();
      charactersKept = text.length + computed.length;
    }
    kept.set(text, computed);
    return computed;
  };
}
