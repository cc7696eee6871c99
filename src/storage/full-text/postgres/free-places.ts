import { sql } from 'kysely';
import type { WriteTransaction } from '../../database.ts';
import { integerMember, jsonRows, textMember } from '../../query/json-rows.ts';
import type { IndexedObject } from '../full-text-index.ts';
import { firstPlaceOf, lastPlaceOf, placeBehind, placeOf } from '../terms.ts';
import { rowsOf as run } from './rows.ts';

/** Where the own place of an object is taken, it gets the one behind the last of its time. */
export async function freePlaces(tx: WriteTransaction, objects: readonly IndexedObject[]): Promise<bigint[]> {
  const taken = await takenPlaces(tx, objects);
  const given = new Set<string>();
  const lastGiven = new Map<string, bigint>();
  const places: bigint[] = [];
  for (const object of objects) {
    const time = `${object.workspaceId} ${object.at}`;
    let place = placeOf(object);
    if (given.has(`${object.workspaceId} ${place}`) || taken.has(`${object.workspaceId} ${place}`)) {
      const last = await lastOfTime(tx, object);
      const before = lastGiven.get(time) ?? last;
      place = placeBehind(before > last ? before : last);
      if (place > lastPlaceOf(object.at)) place = await lastFreePlace(tx, object, given);
    }
    given.add(`${object.workspaceId} ${place}`);
    if (place > (lastGiven.get(time) ?? 0n)) lastGiven.set(time, place);
    places.push(place);
  }
  return places;
}

/** Those of the own places of objects that others have, as workspace and place. */
async function takenPlaces(tx: WriteTransaction, objects: readonly IndexedObject[]): Promise<Set<string>> {
  const own = objects.map((object) => [object.workspaceId, placeOf(object).toString()]);
  const rows = await run<{ workspace_id: string; place: string }>(
    tx,
    sql`select o.workspace_id, o.place::text as place from ${jsonRows(tx, JSON.stringify(own))}
      join search_objects as o on o.workspace_id = ${textMember(0)} and o.place = ${integerMember(1)}`,
  );
  return new Set(rows.map(({ workspace_id, place }) => `${workspace_id} ${place}`));
}

/** The last free place of a time whose very last one is taken. */
async function lastFreePlace(
  tx: WriteTransaction,
  { workspaceId, at }: IndexedObject,
  given: ReadonlySet<string>,
): Promise<bigint> {
  for (let before = lastPlaceOf(at); ; before--) {
    while (given.has(`${workspaceId} ${before}`)) before--;
    if (!(await isTaken(tx, workspaceId, before))) return before;
    const [row] = await run<{ free: string }>(
      tx,
      sql`select max(o.place - 1)::text as free from search_objects as o where o.workspace_id = ${workspaceId}
        and o.place > ${firstPlaceOf(at).toString()}::bigint and o.place <= ${before.toString()}::bigint
        and not exists (select 1 from search_objects as p where p.workspace_id = o.workspace_id
          and p.place = o.place - 1)`,
    );
    before = BigInt(row?.free ?? before);
    if (!given.has(`${workspaceId} ${before}`)) return before;
  }
}

async function isTaken(tx: WriteTransaction, workspaceId: string, place: bigint): Promise<boolean> {
  const rows = await run(
    tx,
    sql`select 1 from search_objects where workspace_id = ${workspaceId} and place = ${place.toString()}::bigint`,
  );
  return rows.length > 0;
}

/** The last place of the objects of a time; before their first, where there are none. */
async function lastOfTime(tx: WriteTransaction, { workspaceId, at }: IndexedObject): Promise<bigint> {
  const [row] = await run<{ last: string | null }>(
    tx,
    sql`select max(place)::text as last from search_objects where workspace_id = ${workspaceId}
      and place >= ${firstPlaceOf(at).toString()}::bigint and place <= ${lastPlaceOf(at).toString()}::bigint`,
  );
  return row?.last == null ? firstPlaceOf(at) - 1n : BigInt(row.last);
}
