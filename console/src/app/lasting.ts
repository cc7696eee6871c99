import { type DBSchema, type IDBPDatabase, type OpenDBCallbacks, openDB } from 'idb';

/** A browser that neither opens a database nor refuses it within this time gives none: another tab holds back its upgrade. */
const OPENED_WITHIN_MS = 4000;

/**
 * Opens a database of the browser; undefined where it gives none, as in some private windows. A later version of the page may
 * upgrade it meanwhile: what is asked of it then rejects.
 */
export async function openLasting<S extends DBSchema>(
  name: string,
  version: number,
  upgrade: NonNullable<OpenDBCallbacks<S>['upgrade']>,
): Promise<IDBPDatabase<S> | undefined> {
  let isLate = false;
  const opening = async () => {
    const database = await openDB<S>(name, version, {
      upgrade,
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
    });
    // Nobody waits for it any more, and it would hold back others.
    if (isLate) database.close();
    return database;
  };
  const tooLate = new Promise<undefined>((resolve) => {
    setTimeout(() => {
      isLate = true;
      resolve(undefined);
    }, OPENED_WITHIN_MS);
  });
  return Promise.race([opening(), tooLate]).catch(() => undefined);
}
