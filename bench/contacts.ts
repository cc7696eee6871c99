/**
 * Listing and searching 20,000 contacts, beside a bare node:http server that answers the same from memory. To reach: the
 * first 50, and a search for a fragment, at half its rate.
 */

import { loadedContacts } from './contacts/load-contacts.ts';
import { besideBare } from './mail/beside-bare.ts';
import { startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const CONTACTS = 20_000;
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
    return await besideBare(atrium, LISTINGS);
  } finally {
    await atrium.stop();
  }
}
