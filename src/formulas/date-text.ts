/** The serial number of a date or a time, or both, that a text spells in US English; undefined when it spells none. */
export function dateOfText(_text: string): number | undefined {
  return undefined;
}
