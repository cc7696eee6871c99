/** What turns the direction of text around: a name that has it shows another ending than it has. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** A name as it may be shown: characters that would turn it around are visible as such. */
export function shownName(name: string): string {
  return name.replace(TURNING, '\uFFFD');
}
