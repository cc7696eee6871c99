import { eventually } from '../eventually.ts';
import type { TestApp } from '../harness.ts';
import { data } from './accounts.ts';

/**
 * Waits until the full-text index has followed everything that was written before. `further`: what is to hold as well, and
 * may make it follow.
 */
export async function indexed(
  { services }: TestApp,
  further: () => Promise<boolean> = async () => true,
): Promise<void> {
  const { database, fullTextIndex } = services;
  // Of the last change that is stored: older transactions may hold it back from the feed for a moment.
  const written = await database.read((tx) =>
    tx
      .selectFrom('changes')
      .select(({ fn }) => [fn.max('transaction_id').as('transaction'), fn.max('number').as('number')])
      .executeTakeFirstOrThrow(),
  );
  await eventually(async () => {
    if (!(await further())) return false;
    const state = await fullTextIndex.state();
    if (!state || state.building !== undefined) return false;
    const { transaction, number } = state.position;
    return database.engine === 'postgres' ? transaction >= written.transaction : number >= written.number;
  }, 'the index follows the changes');
}

/** A hit of a search, as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type Hit = any;

/** The hits of the first page of a query. */
export async function hitsOf(
  app: TestApp,
  q: string,
  { key, query = '' }: { key?: string; query?: string } = {},
): Promise<Hit[]> {
  const path = `/v1/search?q=${encodeURIComponent(q)}${query}`;
  return data(await app.get(path, key === undefined ? {} : { key }));
}

/** The titles of the hits. */
export async function titlesOf(
  app: TestApp,
  q: string,
  options: { key?: string; query?: string } = {},
): Promise<string[]> {
  return (await hitsOf(app, q, options)).map(({ title }) => title);
}
