/** Parts of calendars that cost more than their size. */

/** A rule that never matches, which takes long to find. */
export const NEVER =
  'FREQ=SECONDLY;INTERVAL=7;BYHOUR=3;BYMINUTE=7;BYSECOND=11;BYMONTH=2;BYMONTHDAY=29;COUNT=9000';
/** One of each second. */
export const OFTEN = 'FREQ=SECONDLY;COUNT=1000000000';

/** A file of these components. */
export const calendar = (...components: string[]) =>
  `BEGIN:VCALENDAR\r\n${components.map((lines) => `${lines}\r\n`).join('')}END:VCALENDAR\r\n`;

/** An event with these further lines. */
export const event = (...lines: string[]) =>
  ['BEGIN:VEVENT', 'UID:hostile', 'DTSTART:20260304T090000Z', ...lines, 'END:VEVENT'].join('\r\n');

/** A file of so many events, each with a line of its own. */
export const events = (count: number, line: (i: number) => string) =>
  calendar(
    ...Array.from({ length: count }, (_, i) => event(line(i)).replace('UID:hostile', `UID:hostile-${i}`)),
  );

/** A clock of these observances. */
export const zone = (observances: string[]) =>
  ['BEGIN:VTIMEZONE', 'TZID:Nowhere', ...observances, 'END:VTIMEZONE'].join('\r\n');

export const observance = (rule: string, start = '19700101T000000') =>
  `BEGIN:STANDARD\r\nDTSTART:${start}\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n${rule}\r\nEND:STANDARD`;

/** An event on that clock. */
export const inZone = event('DTEND;TZID=Nowhere:20260304T110000').replace(
  'DTSTART:20260304T090000Z',
  'DTSTART;TZID=Nowhere:20260304T090000',
);

export const repeated = (line: string, count: number) => Array<string>(count).fill(line);

/** The days of a month or a year by each number that there is and each that there is not. */
export const ALL_ORDINALS = Array.from({ length: 53 }, (_, i) =>
  ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'].map((day) => `${i + 1}${day},-${i + 1}${day}`).join(','),
).join(',');
