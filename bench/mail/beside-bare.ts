import type { Figure } from '../report.ts';
import { rates } from './measuring.ts';
import { get, type Server, startBare } from './servers.ts';

const ROUNDS = 5;

/** How often a second the product answers each of these paths, beside a bare server that answers the same from memory. */
export async function besideBare(atrium: Server, paths: Readonly<Record<string, string>>): Promise<Figure[]> {
  const answers = Object.values(paths).map(async (path) => [path, await get(atrium, path)] as const);
  const bare = await startBare(Object.fromEntries(await Promise.all(answers)));
  try {
    const figures: Figure[] = [];
    for (const [name, path] of Object.entries(paths))
      figures.push({ name, unit: '/s beside bare', ...(await rates(atrium, bare, path, ROUNDS)) });
    return figures;
  } finally {
    await bare.stop();
  }
}
