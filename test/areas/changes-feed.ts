import type { Change as AnyChange } from '../../src/areas/changes/schema.ts';
import { eventually } from '../eventually.ts';
import type { TestApp } from '../harness.ts';
import { data } from './accounts.ts';

/** A change as the feed shows it. */
export interface Change extends Omit<AnyChange, 'ids'> {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into ids and lists of ids
  ids: Record<string, any>;
}

/** The changes that a key is shown of what this does, in their order. */
export async function changesOf(
  app: TestApp,
  key: string | undefined,
  work: () => Promise<unknown>,
): Promise<Change[]> {
  const [changes = []] = await changesFor(app, [key], work);
  return changes;
}

/** The same for several keys; undefined is that of the owner. */
export async function changesFor(
  app: TestApp,
  keys: readonly (string | undefined)[],
  work: () => Promise<unknown>,
): Promise<Change[][]> {
  const options = keys.map((key) => (key === undefined ? {} : { key }));
  await settled(app);
  const cursors: string[] = [];
  for (const option of options) cursors.push(data(await app.get('/v1/changes', option)).cursor);
  await work();
  await settled(app);
  const feeds: Change[][] = [];
  for (const [i, option] of options.entries()) {
    const { changes } = data(await app.get(`/v1/changes?limit=1000&cursor=${cursors[i]}`, option));
    feeds.push(changes);
  }
  return feeds;
}

/** Only what has happened to what. */
export function told(changes: readonly Change[]): [type: string, ids: Change['ids']][] {
  return changes.map(({ type, ids }) => [type, ids]);
}

/** Waits until everything that was written can be read: on PostgreSQL, writes of other tests on the server hold it up. */
export async function settled({ services }: TestApp): Promise<void> {
  const isSettled = () =>
    services.database.read(async (tx) => {
      const last = await tx
        .selectFrom('changes')
        .select(({ fn }) => fn.max('transaction_id').as('id'))
        .executeTakeFirst();
      const settled = await tx.settledBelow();
      return settled === undefined || settled > Number(last?.id ?? 0);
    });
  await eventually(isSettled, 'all changes can be read');
}
