/**
 * Changing 100 messages of a mailbox of 20,000 with one durable request, beside durable single-row writes through the
 * storage port, each from sixteen clients. To reach: flags at a twentieth of their rate, moves at a thirtieth.
 */
import { type Changes, onCopy, send, workload } from './mail/changes.ts';
import { loadedMailbox } from './mail/load-mailbox.ts';
import { inTurns } from './mail/measuring.ts';
import type { Server } from './mail/servers.ts';
import { withSingleRowWrites } from './mail/single-row-writes.ts';
import type { Figure } from './report.ts';

const MESSAGES = 20_000;
const ROUNDS = 5;
const TURN_SECONDS = 0.5;

export async function bench(): Promise<Figure[]> {
  const dataDir = await loadedMailbox(MESSAGES);
  return onCopy(dataDir, (server) =>
    withSingleRowWrites((writesPerSecond) => measure(server, writesPerSecond)),
  );
}

async function measure(
  server: Server,
  writesPerSecond: (seconds: number) => Promise<number>,
): Promise<Figure[]> {
  const { flags, marks, moves } = await workload(server);
  const beside = async (name: string, changes: Changes): Promise<Figure> => {
    const value = async () => (await send(server, changes, TURN_SECONDS)).requestsPerSecond;
    const ceiling = () => writesPerSecond(TURN_SECONDS);
    const pair = await inTurns({ value, ceiling }, ROUNDS);
    return { name: `${name} of 100 messages`, unit: '/s beside writes', ...pair };
  };
  return [
    await beside('flags', flags),
    await beside('flags and a label', marks),
    await beside('moves', moves),
  ];
}
