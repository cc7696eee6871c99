import { Option } from 'commander';
import { ApiError } from '../api/errors.ts';
import type { CalendarOwner } from '../areas/calendar/service.ts';
import type { Product } from '../start/composition.ts';
import type { ReadTransaction } from '../storage/database.ts';

/** Which calendar of the user a command is about. */
export function calendarOption(): Option {
  return new Option('--calendar <id or name>', 'the calendar (default: the first)');
}

/** The calendar of an id or name; the first when none is named. Throws ApiError not_found. */
export async function calendarNamed(
  tx: ReadTransaction,
  { calendar }: Pick<Product, 'calendar'>,
  owner: CalendarOwner,
  wanted: string | undefined,
) {
  const calendars = await calendar.listCalendars(tx, owner);
  const found = calendars.find(({ id, name }) => wanted === undefined || id === wanted || name === wanted);
  if (found) return found;
  const message = `There is no calendar ${wanted ?? ''}.`;
  throw new ApiError('not_found', message, { resource: 'calendar', id: wanted ?? '' });
}
