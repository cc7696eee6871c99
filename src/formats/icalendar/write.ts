import { foldLine } from '../content-lines.ts';
import type { Transition } from '../recurrence/zone.ts';
import type { DefinedZone } from './time-zone.ts';
import { momentText, offsetText } from './values.ts';

/** The text of a component with these content lines. */
export function component(name: string, lines: readonly string[]): string {
  return contentLines([`BEGIN:${name}`, ...lines, `END:${name}`]);
}

/** The content lines folded and joined as the text of a file. */
export function contentLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

/** The VTIMEZONE of a zone. */
export function zoneComponent(name: string, zone: DefinedZone): string {
  const changes = changesOf(zone);
  const [first = { at: 0, offset: zone.initial, before: zone.initial }] = changes;
  const groups = Map.groupBy(changes.length > 0 ? changes : [first], kindOf);
  const observances = [...groups.values()].flatMap(observance);
  return component('VTIMEZONE', [`TZID:${name}`, ...observances]);
}

interface Change extends Transition {
  before: number;
}

function changesOf({ initial, transitions }: DefinedZone): Change[] {
  return transitions.map((change, i) => ({ ...change, before: transitions[i - 1]?.offset ?? initial }));
}

function kindOf({ before, offset }: Change): string {
  return `${before} ${offset}`;
}

/** Transitions with the same offsets: RFC 5545 3.6.5 requires their onsets in the local time before the transition. */
function observance(changes: readonly Change[]): string[] {
  const [{ before, offset } = { before: 0, offset: 0 }] = changes;
  const name = offset > before ? 'DAYLIGHT' : 'STANDARD';
  const [start = '', ...others] = changes.map(({ at }) =>
    momentText({ kind: 'local', seconds: at + before }),
  );
  return [
    `BEGIN:${name}`,
    `DTSTART:${start}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(offset)}`,
    ...others.map((onset) => `RDATE:${onset}`),
    `END:${name}`,
  ];
}
