/** A path with percent-encoded values. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)));
}
