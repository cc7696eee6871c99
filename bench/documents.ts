/**
 * Listing 5,000 documents and spreadsheets beside a bare node:http server that answers the same from
 * memory. To reach: the first 25 at half its rate.
 */

import { documentsDirectory } from './documents/library.ts';
import { besideBare } from './mail/beside-bare.ts';
import { startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const LISTINGS = {
  'first 25': '/v1/documents',
  'first 100': '/v1/documents?limit=100',
  spreadsheets: '/v1/documents?type=spreadsheet',
};

export async function bench(): Promise<Figure[]> {
  const atrium = await startAtrium(await documentsDirectory());
  try {
    return await besideBare(atrium, LISTINGS);
  } finally {
    await atrium.stop();
  }
}
