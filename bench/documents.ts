/**
 * Listing 5,000 documents and spreadsheets beside a bare node:http server that answers the same from
 * memory. To reach: the first 25 at half its rate.
 */
import { documentsDirectory } from './documents/library.ts';
import { rates } from './mail/measuring.ts';
import { get, type Server, startAtrium, startBare } from './mail/servers.ts';
import type { Figure } from './report.ts';

const ROUNDS = 5;
const LISTINGS = {
  'first 25': '/v1/documents',
  'first 100': '/v1/documents?limit=100',
  spreadsheets: '/v1/documents?type=spreadsheet',
};

export async function bench(): Promise<Figure[]> {
  const atrium = await startAtrium(await documentsDirectory());
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
