import { timeZoneNamed } from '../../text/time-zone.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/** The IANA zone that a TZID means: by its own name, by the end of a longer one, or by the name that Windows has for it. */
export function ianaNameOf(tzid: string): string | undefined {
  const name = tzid.trim().replace(/^"|"$/g, '');
  return timeZoneNamed(name) ?? endOfPath(name) ?? windowsZone(name);
}

/** RFC 5545, 3.8.3.1: a leading "/" is a "globally unique" identifier, such as /mozilla.org/20050126_1/Europe/Berlin. */
function endOfPath(name: string): string | undefined {
  if (!/^\/|^posix\//.test(name)) return undefined;
  const steps = name.split('/').filter((step) => step !== '');
  for (const length of [3, 2, 1]) {
    const known = steps.length >= length ? timeZoneNamed(steps.slice(-length).join('/')) : undefined;
    if (known !== undefined) return known;
  }
  return undefined;
}

function windowsZone(name: string): string | undefined {
  return WINDOWS_ZONES.get(name.toLowerCase());
}
