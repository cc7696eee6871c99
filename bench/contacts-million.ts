/**
 * What listing and searching cost among 1,000,000 contacts of one user, beside the same among 20,000. To reach: 1.3
 * times the cost for every search that fills its page on both sides.
 */
import { loadedContacts } from './contacts/load-contacts.ts';
import { costs } from './mail/measuring.ts';
import { get, type Server, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MANY = 1_000_000;
const FEW = 20_000;
const COST = { rounds: 5, requests: 150 };
const SEARCHES: Record<string, string> = {
  'no search': '',
  'three characters': 'q=ber',
  'three characters of a domain': 'q=com',
  'a domain': 'q=example.com',
  'part of a name': 'q=anber',
  'two words, common both': 'q=n b',
  'digits and a domain': 'q=7@corp',
  'two characters': 'q=qu',
  'one character': 'q=a',
  'grams that many have and nobody together': 'q=zedqux',
};

export async function bench(): Promise<Figure[]> {
  const many = await startAtrium(await loadedContacts(MANY));
  try {
    const few = await startAtrium(await loadedContacts(FEW));
    try {
      return await measure(many, few);
    } finally {
      await few.stop();
    }
  } finally {
    await many.stop();
  }
}

async function measure(many: Server, few: Server): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, query] of Object.entries(SEARCHES)) {
    const path = `/v1/contacts?${query.replaceAll(' ', '%20')}`;
    const [size, other] = await Promise.all(
      [many, few].map(async (server) => (await get(server, path)).data.length),
    );
    const pair = await costs({ server: many, path }, { server: few, path }, COST);
    const found = `${size} beside ${other} found`;
    figures.push({ name: `cost among ${MANY} beside ${FEW}: ${name} (${found})`, unit: 'µs', ...pair });
  }
  return figures;
}
