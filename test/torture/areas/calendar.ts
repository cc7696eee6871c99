import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from '../actor.ts';
import type { Area, Place, World } from '../area.ts';

interface Booking {
  id: string;
  hour: number;
  rooms: string[];
}

/** The first hours of 2027 that rooms are taken in: few, so that they are contended for. */
const HOURS = 300;
const POLL_MS = 50;
const RESPONSES = ['accepted', 'tentative', 'declined'];
const WINDOW = { start: '2027-01-01T00:00:00Z', end: '2027-02-01T00:00:00Z' };

/** Booking rooms that others want too, inviting others, moving and giving back, in a calendar of its own. */
export async function startCalendar({ actor, person, world }: Place): Promise<Area> {
  const { random } = actor;
  const made = await actor.must({ method: 'POST', path: '/v1/calendars', body: { name: random.token() } });
  const events = `/v1/calendars/${made.data.id}/events`;
  const bookings: Booking[] = [];
  const others = world.people.filter(({ id }) => id !== person.id).map(({ email }) => email);
  const { bookings: taken } = world.shared;
  const listed = () => actor.walk(`${events}?start=${WINDOW.start}&end=${WINDOW.end}`);
  const isListed = async (hour: number) => [
    (await listed()).some(({ starts_at }) => starts_at === timesOf(hour).starts_at),
  ];
  const take = ({ id, hour, rooms }: Booking) => {
    for (const room of rooms) {
      assert.ok(!taken.has(`${room} ${hour}`), `${room} is taken twice in hour ${hour}`);
      taken.set(`${room} ${hour}`, id);
    }
  };
  const give = ({ hour, rooms }: Booking) => {
    for (const room of rooms) taken.delete(`${room} ${hour}`);
  };
  const freeHour = () => {
    const hour = random.int(HOURS);
    return bookings.some((booking) => booking.hour === hour) ? undefined : hour;
  };

  const book = async () => {
    const hour = freeHour();
    if (hour === undefined) return;
    const rooms = random.some(world.rooms);
    const attendees = random.chance(0.5) ? random.some(others) : [];
    const body = { ...timesOf(hour), resources: rooms, attendees };
    const answer = await actor.write({ method: 'POST', path: events, body }, () => isListed(hour));
    if (answer.status === 409) return;
    assert.equal(answer.status, 201, answer.text);
    const booking = { id: answer.data.id, hour, rooms };
    bookings.push(booking);
    take(booking);
  };
  const move = async (booking: Booking) => {
    const hour = freeHour();
    if (hour === undefined) return;
    const path = `${events}/${booking.id}`;
    // Others may take the old hour before this answer is here.
    give(booking);
    const answer = await actor.write({ method: 'PUT', path, body: timesOf(hour) }, () => isListed(hour));
    assert.ok([200, 409].includes(answer.status), answer.text);
    if (answer.status === 200) booking.hour = hour;
    take(booking);
  };
  const remove = async (booking: Booking) => {
    give(booking);
    await actor.must({ method: 'DELETE', path: `${events}/${booking.id}` }, async () =>
      (await isListed(booking.hour)).map((isThere) => !isThere),
    );
    bookings.splice(bookings.indexOf(booking), 1);
  };

  return {
    step: () =>
      bookings.length < 3 || random.chance(0.6) ? book() : random.pick([move, remove])(random.pick(bookings)),
    prove: async () => {
      assert.deepEqual(
        (await listed()).map(({ id, starts_at }) => `${starts_at} ${id}`).sort(),
        bookings.map(({ id, hour }) => `${timesOf(hour).starts_at} ${id}`).sort(),
      );
    },
  };
}

/** Answering what others invite to. They move and remove it meanwhile, so what is there is held against the change feed. */
export async function startResponding({ actor }: Place): Promise<Area> {
  const { random } = actor;
  const invitations = () => actor.walk(`/v1/invitations?start=${WINDOW.start}&end=${WINDOW.end}`);
  return {
    step: async () => {
      const listed = await invitations();
      if (listed.length === 0) return pause(POLL_MS);
      const path = `/v1/events/${random.pick(listed).id}/response`;
      const response = random.pick(RESPONSES);
      const { status, text } = await actor.write({ method: 'POST', path, body: { response } });
      assert.ok([200, 404].includes(status), text);
    },
    prove: async () => {
      for (const { response } of await invitations())
        assert.ok([...RESPONSES, 'needs_action'].includes(response), response);
    },
  };
}

/** The rooms are busy when they were booked, and at no other time. */
export async function proveRooms(actor: Actor, { rooms, shared }: World): Promise<void> {
  const body = { resources: rooms, ...WINDOW };
  const { resources } = await actor.ask('/v1/freebusy', body);
  for (const { id, busy } of resources) {
    const hours = [...shared.bookings.keys()].flatMap((key) =>
      key.startsWith(`${id} `) ? [Number(key.slice(id.length))] : [],
    );
    assert.deepEqual(busy, hours.sort((a, b) => a - b).map(timesOf));
  }
}

/** Half an hour, so that no two touch. */
function timesOf(hour: number) {
  const start = Date.parse(WINDOW.start) + hour * 3_600_000;
  return { starts_at: new Date(start).toISOString(), ends_at: new Date(start + 1_800_000).toISOString() };
}
