/**
 * Listing and searching 20,000 contacts, beside a bare node:http server that answers the same from memory. To reach: the
 * first 50, and a search for a fragment, at half its rate.
 */
import { loadedContacts } from './contacts/load-contacts.ts';
import { rates } from './mail/measuring.ts';
import { get, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const CONTACTS = 20_000;
const ROUNDS = 5;
const LISTINGS = {
  'first 50': '/v1/contacts',
  'search for three characters': '/v1/contacts?q=ber',
  'search for a domain': '/v1/contacts?q=example.com',
  'search for a name': '/v1/contacts?q=anber',
  'search for two characters': '/v1/contacts?q=an',
};

export async function bench(): Promise<Figure[]> {
  const atrium = await startAtrium(await loadedContacts(CONTACTS));
  try {
    return await measure(atrium);
  } finally {
    await atrium.stop();
  }
}

async function measure(atrium: Server): Promise<Figure[]> {
  const answers = Object.values(LISTINGS).map(async (path) => [path, await get(atrium, path)] as const);
  const bare = await startBare(Object.fromEntries(await Promise.all(answers)));
  try {
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(LISTINGS))
      figures.push({ name, unit: '/s beside bare', ...(await rates(atrium, bare, path, ROUNDS)) });
    return figures;
  } finally {
    await bare.stop();
  }
}
