import { type Static, Type } from 'typebox';
import type { Problem } from './operation.ts';
import { WANTED } from './wanted.ts';

/** A period of some days of the week. `clock` says by whose clock its times go. */
export function workingPeriod(clock: string) {
  return Type.Object(
    {
      days: Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
        minItems: 1,
        maxItems: 7,
        description: '1 for Monday to 7 for Sunday.',
        examples: [[1, 2, 3, 4, 5]],
      }),
      start: Type.String({
        pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d$',
        [WANTED]: 'Give a time of the form HH:MM, from 00:00 to 23:59',
        description: `HH:MM on the clock of ${clock}.`,
        examples: ['09:00'],
      }),
      end: Type.String({
        pattern: '^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$',
        [WANTED]: 'Give a time of the form HH:MM, from 00:00 to 24:00',
        description: `HH:MM on the clock of ${clock}, after start; 24:00 is midnight.`,
        examples: ['17:00'],
      }),
    },
    { additionalProperties: false },
  );
}

export type WorkingPeriod = Static<ReturnType<typeof workingPeriod>>;

/** What the schema of working hours cannot express: a period ends after its start. */
export function workingHoursProblems(hours: readonly WorkingPeriod[]): Problem[] {
  return hours.flatMap(({ start, end }, index) =>
    minutesOf(end) > minutesOf(start)
      ? []
      : [
          {
            pointer: `/working_hours/${index}/end`,
            code: 'not_allowed',
            message: 'Give an end after start.',
          },
        ],
  );
}

/** The minutes since midnight of a time HH:MM. */
export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
