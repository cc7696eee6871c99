/**
 * What listings cost in a mailbox of 1,000,000 messages, beside the same in one of 20,000, when nothing is remembered. To reach: every combination
 * of filters at 1.3 times the cost, and a page deep in a folder at 1.2 times that of the first.
 */
import { combinations, pageAfter } from './mail/listings.ts';
import { loadedMailbox } from './mail/load-mailbox.ts';
import { costs } from './mail/measuring.ts';
import { type AtriumServer, get, startAtrium } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MANY = 1_000_000;
const FEW = 20_000;
const DEEP = 500_000;
const COST = { rounds: 5, requests: 200 };

export async function bench(): Promise<Figure[]> {
  const many = await startAtrium(await loadedMailbox(MANY));
  try {
    const few = await startAtrium(await loadedMailbox(FEW));
    try {
      return [...(await sizes(many, few)), await depth(many)];
    } finally {
      await few.stop();
    }
  } finally {
    await many.stop();
  }
}

async function sizes(many: AtriumServer, few: AtriumServer): Promise<Figure[]> {
  const beside = await combinations(few);
  const figures: Figure[] = [];
  for (const [i, { name, path }] of (await combinations(many)).entries()) {
    const other = { server: few, path: beside[i]?.path ?? '' };
    await assertSameLength({ server: many, path }, other);
    figures.push({
      name: `cost among ${MANY} beside ${FEW}: ${name}`,
      unit: 'µs',
      ...(await costs({ server: many, path }, other, COST)),
    });
  }
  return figures;
}

/** Pages of different lengths would compare what is sent, not how it is found. */
async function assertSameLength(...questions: { server: AtriumServer; path: string }[]): Promise<void> {
  const pages = await Promise.all(questions.map(({ server, path }) => get(server, path)));
  if (!pages.every(({ data, pagination }) => data.length === pagination.limit))
    throw new Error(`${questions[0]?.path}: too few messages to fill a page`);
}

async function depth(server: AtriumServer): Promise<Figure> {
  const [folder] = await combinations(server);
  if (!folder) throw new RangeError('a folder to go through');
  const deep = await pageAfter(server, folder.path, DEEP);
  const pair = await costs({ server, path: deep }, { server, path: folder.path }, COST);
  return { name: `cost of a page ${DEEP} deep, beside the first`, unit: 'µs', ...pair };
}
