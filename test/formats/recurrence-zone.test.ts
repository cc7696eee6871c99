import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ianaZone, UTC, zoneOf } from '../../src/formats/recurrence/zone.ts';

function seconds(text: string): number {
  return Date.parse(`${text}Z`) / 1000;
}

function iso(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 16);
}

describe('a zone', () => {
  const cases: [zone: string, local: string, utc: string, why: string][] = [
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30', 'a gap in spring: the offset before it'],
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30', 'twice in autumn: the first'],
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30', 'a gap in spring'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30', 'twice in autumn'],
    ['Australia/Sydney', '2026-10-04T02:30', '2026-10-03T16:30', 'a gap in the spring of the south'],
    ['Australia/Sydney', '2026-04-05T02:30', '2026-04-04T15:30', 'twice in the autumn of the south'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45', 'a gap of half an hour'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00', 'a day that was left out'],
    ['Asia/Kolkata', '2026-06-01T12:00', '2026-06-01T06:30', 'no change at all'],
  ];
  for (const [zone, local, utc, why] of cases) {
    it(`${zone} has ${local} at ${utc} UTC (${why})`, () => {
      assert.equal(iso(ianaZone(zone).toUtc(seconds(local))), utc);
    });
  }

  it('shows what Temporal shows', () => {
    const zones = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Tehran',
      'Africa/Casablanca',
    );
    fc.assert(
      fc.property(zones, fc.integer({ min: 0, max: 4_000_000_000 }), (name, utc) => {
        const there = Temporal.Instant.fromEpochMilliseconds(utc * 1000).toZonedDateTimeISO(name);
        const local = ianaZone(name).toLocal(utc);
        assert.equal(local - utc, there.offsetNanoseconds / 1e9);
        const back = there.toPlainDateTime().toZonedDateTime(name, { disambiguation: 'compatible' });
        assert.equal(ianaZone(name).toUtc(local), back.epochMilliseconds / 1000);
      }),
      { numRuns: 500 },
    );
  });

  it('of its own changes when told', () => {
    const zone = zoneOf(3600, [
      { at: 1_000_000, offset: 7200 },
      { at: 2_000_000, offset: 3600 },
    ]);
    assert.deepEqual(
      [0, 999_999, 1_000_000, 2_000_000].map((utc) => zone.toLocal(utc) - utc),
      [3600, 3600, 7200, 3600],
    );
  });

  it('of UTC is UTC', () => assert.equal(UTC.toUtc(UTC.toLocal(5)), 5));
});
