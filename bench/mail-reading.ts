/**
 * Listing the mail of a mailbox of 20,000 messages that came in through the product's own import, beside a bare
 * node:http server that answers the same from memory: pages that are asked for again, and others each time. To reach: the
 * newest 50 at 0.45 of its rate, and a page deep in a folder, of which nothing is remembered, at 1.2 times the cost of the first.
 */
import { importedMailbox } from './mail/import-mailbox.ts';
import { foldersOf, type Listing, pageAfter, pagesOf } from './mail/listings.ts';
import { costs, inTurns, rate, rates } from './mail/measuring.ts';
import { type AtriumServer, get, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MESSAGES = 20_000;
const DEEP = 10_000;
/** Different ones, each a message further. */
const PAGES = 400;
const ROUNDS = 5;
const COST = { rounds: 9, requests: 300 };

export async function bench(): Promise<Figure[]> {
  const atrium = await startAtrium(await importedMailbox(MESSAGES));
  try {
    return await measure(atrium);
  } finally {
    await atrium.stop();
  }
}

async function measure(atrium: AtriumServer): Promise<Figure[]> {
  const listings = await measured(atrium);
  const bare = await startBare(await answersOf(atrium, listings));
  try {
    const figures: Figure[] = [];
    for (const { name, path } of listings)
      figures.push({ name, unit: '/s beside bare', ...(await rates(atrium, bare, path, ROUNDS)) });
    return [
      ...figures,
      await others(atrium, bare, listings),
      await depth(atrium, listings),
      await severalLabels(atrium),
    ];
  } finally {
    await bare.stop();
  }
}

async function measured(atrium: Server): Promise<Listing[]> {
  const newest = `/v1/messages?folder_id=${(await foldersOf(atrium)).get('Inbox')}`;
  return [
    { name: 'newest 50 of a folder', path: newest },
    { name: `50 after ${DEEP} of a folder`, path: await pageAfter(atrium, newest, DEEP) },
    { name: 'unread', path: '/v1/messages?unread=true' },
    { name: 'one label', path: '/v1/messages?label=work' },
    { name: 'two flags together', path: '/v1/messages?flag=answered&flag=starred' },
  ];
}

async function answersOf(atrium: Server, listings: readonly Listing[]) {
  const answers = listings.map(async ({ path }) => [path, await get(atrium, path)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

/** Pages that are too many to be remembered. */
async function others(atrium: Server, bare: Server, [newest]: readonly Listing[]): Promise<Figure> {
  if (!newest) throw new RangeError('a listing to go through');
  const pages = await pagesOf(atrium, newest.path, PAGES);
  const value = () => rate(atrium, pages);
  const ceiling = () => rate(bare, [newest.path]);
  const pair = await inTurns({ value, ceiling }, ROUNDS);
  return { name: '50 of a folder, others each time', unit: '/s beside bare', ...pair };
}

async function depth(server: AtriumServer, [first, deep]: readonly Listing[]): Promise<Figure> {
  if (!first || !deep) throw new RangeError('two listings to compare');
  const pair = await costs({ server, path: deep.path }, { server, path: first.path }, COST);
  return { name: `cost of a page ${DEEP} deep, beside the first`, unit: 'µs', ...pair };
}

async function severalLabels(server: AtriumServer): Promise<Figure> {
  const [several, one] = ['label=work&label=todo', 'label=work'].map(
    (query) => `/v1/messages?${query}&limit=20`,
  );
  if (!several || !one) throw new RangeError('two listings to compare');
  const pair = await costs({ server, path: several }, { server, path: one }, COST);
  return { name: 'cost of a page of two labels that rarely meet, beside one label', unit: 'µs', ...pair };
}
