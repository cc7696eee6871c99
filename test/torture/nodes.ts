import { join } from 'node:path';
import { type ServedProcess, serveProcess } from '../areas/served-process.ts';
import type { Conditions } from './faulty-process.ts';

/** Servers on the same settings, which may be killed and started again. */
export interface Nodes {
  /** Of those that serve. */
  readonly addresses: string[];
  /** Their doors for mail. */
  readonly smtpPorts: number[];
  /** Rejects when a server ends that nobody killed. */
  readonly crashed: Promise<never>;
  start(index: number): Promise<void>;
  kill(index: number): Promise<void>;
  /** Changes what a node sees of its machine, until it is started again. */
  tell(index: number, conditions: Conditions): void;
  /** Resolves as soon as one serves. */
  whenServing(): Promise<void>;
}

const FAULTY = join(import.meta.dirname, 'faulty-process.ts');

/** `settingsOf` is the environment of one, `log` the file that they tell of their work. None runs yet. */
export function makeNodes(settingsOf: (index: number) => Record<string, string>, log: number): Nodes {
  const running = new Map<number, ServedProcess>();
  const crashed = Promise.withResolvers<never>();
  // Who does not wait for it hears of it from the clients, which find nobody.
  crashed.promise.catch(() => undefined);
  let serving = Promise.withResolvers<void>();
  const inOrder = () => [...running].sort(([a], [b]) => a - b).map(([, served]) => served);
  return {
    crashed: crashed.promise,
    get addresses() {
      return inOrder().map(({ address }) => address);
    },
    get smtpPorts() {
      return inOrder().map(({ smtpPort }) => smtpPort);
    },
    whenServing: () => serving.promise,
    start: async (index) => {
      const served = await serveProcess(settingsOf(index), { log, preload: FAULTY });
      running.set(index, served);
      served.ended.then(() => {
        if (running.get(index) === served) crashed.reject(new Error('A server ended by itself'));
      });
      serving.resolve();
    },
    kill: async (index) => {
      const served = running.get(index);
      running.delete(index);
      if (running.size === 0) serving = Promise.withResolvers<void>();
      await served?.kill();
    },
    tell: (index, conditions) => running.get(index)?.tell(conditions),
  };
}
