import assert from 'node:assert/strict';
import { createReadStream, existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { zoneFor } from '../../src/areas/calendar/availability/meeting-times.ts';
import type { EventDefinition } from '../../src/areas/calendar/events/definition.ts';
import { receiveEvents } from '../../src/areas/calendar/events/receive-events.ts';
import { occurrences } from '../../src/areas/calendar/recurrence/occurrences.ts';
import { ianaZone, type Zone } from '../../src/formats/recurrence/zone.ts';

const CORPUS = join(import.meta.dirname, '../../../shared/corpus/recurrence');
const skip = existsSync(CORPUS) ? false : 'the collection of recurring events is not on this machine';

/**
 * Where the collection and RFC 5545 differ. These files give their series a RECURRENCE-ID, which "is used … to identify
 * a specific instance" (3.8.4.4): they are read as that instance.
 */
const LEFT_OUT = /ConnectDaily/;

/**
 * Their start is not what their rule names, and the collection passes over it. "The DTSTART property … defines the first
 * instance in the recurrence set" (3.8.5.3): it is one all the same.
 */
const START_IS_FIRST = /KOrganizer_Test(?:01|10|13)/;

/** Clocks that a file defines are known up to this year. */
const LAST = '2101';

/** So far behind the last instance of a list, another that is not on it would be found. */
const LONG_MS = 800 * 86_400_000;

const LONGEST_LIST = 500;

/** Local starts in order, whether these are all, and the zone of which they are local. */
function expectedOf(file: string): { starts: string[]; isEnded: boolean; zone: string } {
  const lines = readFileSync(join(CORPUS, `${file}.next.ref`), 'utf8')
    .trim()
    .split('\n');
  const starts = lines.map((line) => line.split(' ')[0] ?? '').filter((start) => start < LAST);
  return {
    starts,
    isEnded: starts.length < LONGEST_LIST && starts.length === lines.length,
    zone: lines[0]?.split(' ').at(-1) ?? '',
  };
}

/** Names that are only an offset stand for the clock that the file defines, whatever its offset is at the time. */
function clockOf({ series }: EventDefinition, zone: string): Zone {
  return /^UTC[+-]/.test(zone) ? zoneFor(series?.zone ?? null, 'UTC') : ianaZone(zone.replace('GMT', 'UTC'));
}

async function definitionIn(file: string): Promise<EventDefinition> {
  const { events } = await receiveEvents(createReadStream(join(CORPUS, file)), []);
  const components = events.map(({ component }) => component);
  const series = components.find((component) => 'series' in component)?.series;
  return {
    ...(series && { series }),
    overrides: components.flatMap((component) => ('override' in component ? [component.override] : [])),
  };
}

describe('events of other calendars', { skip }, () => {
  for (const file of skip ? [] : globSync('*.ics', { cwd: CORPUS }).sort()) {
    it(`${file} recur when it is expected`, {
      skip: LEFT_OUT.test(file) && 'is read as one instance',
    }, async () => {
      const { starts, zone, isEnded } = expectedOf(file);
      const definition = await definitionIn(file);
      const clock = clockOf(definition, zone);
      const end = Date.parse(`${starts.at(-1)}Z`) + LONG_MS;
      const found = [...occurrences(definition, 'UTC', { start: 0, end })]
        .map(({ start }) => new Date(clock.toLocal(start / 1000) * 1000).toISOString().slice(0, 19))
        .sort();
      if (START_IS_FIRST.test(file)) found.shift();
      assert.deepEqual(isEnded ? found : found.slice(0, starts.length), starts);
    });
  }
});
