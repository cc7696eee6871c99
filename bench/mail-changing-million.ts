/**
 * What changing 100 messages costs in a mailbox of 1,000,000, beside the same in one of 20,000. To reach: 1.3 times.
 */
import { changeCost, onCopy, type Workload, workload } from './mail/changes.ts';
import { loadedMailbox } from './mail/load-mailbox.ts';
import { medianOf, type Pair } from './mail/measuring.ts';
import type { Server } from './mail/servers.ts';
import type { Figure } from './report.ts';

const MANY = 1_000_000;
const FEW = 20_000;
const ROUNDS = 5;
const NAMES: Record<keyof Workload, string> = {
  flags: 'flags',
  marks: 'flags and a label',
  moves: 'moves',
};

export async function bench(): Promise<Figure[]> {
  const [many, few] = [await loadedMailbox(MANY), await loadedMailbox(FEW)];
  return onCopy(many, (server) => onCopy(few, (beside) => measure(server, beside)));
}

async function measure(many: Server, few: Server): Promise<Figure[]> {
  const [ofMany, ofFew] = [await workload(many), await workload(few)];
  const figures: Figure[] = [];
  for (const kind of ['flags', 'marks', 'moves'] as const) {
    const pairs: Pair[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const pair = {
        value: await changeCost(many, ofMany[kind]),
        ceiling: await changeCost(few, ofFew[kind]),
      };
      // The first round warms up.
      if (round > 0) pairs.push(pair);
    }
    figures.push({
      name: `${NAMES[kind]} of 100 among ${MANY} beside ${FEW}`,
      unit: 'µs',
      ...medianOf(pairs),
    });
  }
  return figures;
}
