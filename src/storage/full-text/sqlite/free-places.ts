import type { IndexedObject } from '../full-text-index.ts';
import { firstPlaceOf, lastPlaceOf, placeBehind, placeOf } from '../terms.ts';
import type { IndexRows } from './folder-rows.ts';

/** The place of an object; where its own is taken, the one behind the last of its time. */
export function freePlaceOf(rows: IndexRows, object: IndexedObject): bigint {
  const place = placeOf(object);
  if (rows.all('select place from objects where place = ?', place).length === 0) return place;
  const end = lastPlaceOf(object.at);
  const [row] = rows.all(
    'select max(place) as last from objects where place >= ? and place <= ?',
    place,
    end,
  );
  const behind = placeBehind(row?.last as bigint);
  return behind <= end ? behind : lastFreePlaceOf(rows, object.at);
}

/** The last free place of a time whose very last one is taken. */
function lastFreePlaceOf(rows: IndexRows, at: number): bigint {
  const [row] = rows.all(
    `select max(o.place - 1) as free from objects as o where o.place > ? and o.place <= ?
      and not exists (select 1 from objects as p where p.place = o.place - 1)`,
    firstPlaceOf(at),
    lastPlaceOf(at),
  );
  return row?.free as bigint;
}
