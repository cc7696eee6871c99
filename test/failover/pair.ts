import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Link, startLink } from './link.ts';
import type { Order, OrderAnswer } from './pair-keeper.ts';

/** A PostgreSQL and its standby, and the links that lead to whichever is the primary. */
export interface PostgresPair {
  /** Each leads one node to the primary. */
  readonly links: readonly Link[];
  /** From the primary to the standby. */
  readonly replication: Link;
  /** Kills the primary and promotes the standby; the links follow it. Its commits wait for a standby. */
  failOver(): Promise<void>;
  /** Makes a standby where the former primary was. */
  rebuild(): Promise<void>;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Whether commits wait for the standby; they do at first. */
  replicate(isSynchronous: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Starts both, with a link to the primary for each of so many nodes. */
export async function startPair(nodes: number): Promise<PostgresPair> {
  const links = await Promise.all(Array.from({ length: nodes }, startLink));
  const replication = await startLink();
  const all = [...links, replication];
  const { order, end } = await startKeeper();
  const lead = (sockets?: string) => {
    for (const link of all) link.lead(sockets && `${sockets}/.s.PGSQL.5432`);
  };
  // The standby is made through its link, which has to lead somewhere by then.
  const follow = async (name: Order['name'], more: Partial<Order> = {}) => lead(await order(name, more));
  const begun = order('begin', { port: replication.port });
  const stop = async () => {
    await end();
    for (const link of all) link.close();
  };
  lead(await order('where'));
  await begun.catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    links,
    replication,
    failOver: async () => {
      await order('killPrimary');
      // Nobody speaks to it again, and what was under way to the standby is lost.
      lead();
      await follow('promote');
    },
    rebuild: async () => void (await order('rebuild')),
    stopStandby: async () => void (await order('stopStandby')),
    startStandby: async () => void (await order('startStandby')),
    replicate: async (isSynchronous) => void (await order('replicate', { isSynchronous })),
    stop,
  };
}

interface Keeper {
  /** Answers the directory of the socket of the primary. */
  order(name: Order['name'], more?: Partial<Order>): Promise<string>;
  end(): Promise<void>;
}

async function startKeeper(): Promise<Keeper> {
  const keeper = fork(join(import.meta.dirname, 'pair-keeper.ts'), { detached: true, execArgv: [] });
  const exit = once(keeper, 'exit');
  const waiting = new Map<number, (answer: OrderAnswer) => void>();
  const listens = new Promise<OrderAnswer>((resolve) => waiting.set(0, resolve));
  keeper.on('message', (answer: OrderAnswer) => waiting.get(answer.id)?.(answer));
  let last = 0;
  await Promise.race([listens, exit.then(() => assert.fail('the keeper did not start'))]);
  return {
    order: async (name, more = {}) => {
      const id = ++last;
      const answered = new Promise<OrderAnswer>((resolve) => waiting.set(id, resolve));
      keeper.send({ ...more, id, name });
      const { error, primary = '' } = await Promise.race([
        answered,
        exit.then(() => assert.fail('the keeper ended')),
      ]);
      assert.equal(error, undefined, `${name}: ${error}`);
      return primary;
    },
    end: async () => {
      keeper.disconnect();
      await exit;
    },
  };
}
