/** Temporal also accepts an offset, or a date with a zone in brackets. */
const ZONE_NAME = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;

/**
 * The IANA time zone of this name in canonical case ("europe/berlin" is Europe/Berlin); undefined for an unknown
 * one.
 */
export function timeZoneNamed(name: string): string | undefined {
  if (!ZONE_NAME.test(name)) return undefined;
  try {
    return Temporal.Now.zonedDateTimeISO(name).timeZoneId;
  } catch {
    return undefined;
  }
}

/** A time zone in canonical case; an unknown name unchanged. */
export function spelledTimeZone(name: string): string {
  return timeZoneNamed(name) ?? name;
}
