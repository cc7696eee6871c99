/** Temporal would also take an offset, or a whole date with its zone in brackets. */
const ZONE_NAME = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/** The IANA time zone of this name, in its own spelling ("europe/berlin" is Europe/Berlin); undefined when unknown. */
export function timeZoneNamed(name: string): string | undefined {
  if (!ZONE_NAME.test(name)) return undefined;
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
  } catch {
    return undefined;
  }
}

/** A time zone in its own spelling; a name that is unknown as it is. */
export function spelledTimeZone(name: string): string {
  return timeZoneNamed(name) ?? name;
}
