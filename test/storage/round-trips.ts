import pg from 'pg';

/** A transaction as the database saw it: what was sent before each wait for an answer. */
export type Waits = readonly (readonly string[])[];

interface Running {
  /** How many answers were waited for one after the other, until the last that has come. */
  answered: number;
  waits: string[][];
}

const running = new WeakMap<object, Running>();
let ended: Waits[] = [];
let isCounting = false;

/**
 * Counts the waits of all transactions of this process that come from now on: statements that are sent together share one.
 * A statement waits for all whose answers had come when it was sent.
 */
export function countRoundTrips(): void {
  if (isCounting) return;
  isCounting = true;
  const { prototype } = pg.Client;
  const query = prototype.query as (...args: unknown[]) => unknown;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const answer = query.apply(this, args);
    const [sent] = args as [string | { text: string }];
    if (answer instanceof Promise) note(this, typeof sent === 'string' ? sent : sent.text, answer);
    return answer;
  } as typeof prototype.query;
}

function note(client: object, text: string, answer: Promise<unknown>): void {
  if (text.startsWith('begin')) running.set(client, { answered: 0, waits: [] });
  const transaction = running.get(client);
  if (!transaction) return;
  const { answered, waits } = transaction;
  const wait = waits[answered];
  if (wait) wait.push(text);
  else waits[answered] = [text];
  const arrive = () => {
    transaction.answered = Math.max(transaction.answered, answered + 1);
  };
  answer.then(arrive, arrive);
  if (text === 'commit' || text === 'rollback') end(client, transaction);
}

function end(client: object, { waits }: Running): void {
  running.delete(client);
  const isRead = waits[0]?.[0]?.includes('read only') ?? false;
  // Nobody waits for the end of a read.
  const waited = isRead ? waits.map((texts) => texts.filter((text) => text !== 'commit')) : waits;
  ended.push(waited.filter((texts) => texts.length > 0));
}

/**
 * The waits of a piece of work: of several times, the fewest, because what runs beside it is counted too, and what it keeps
 * for a while is not there the first time.
 */
export async function waitsOf(work: (time: number) => Promise<unknown>): Promise<Waits> {
  const times: Waits[] = [];
  for (let time = 0; time < 5; time++) {
    ended = [];
    await work(time);
    times.push(ended.flat());
  }
  return times.reduce((fewest, waits) => (waits.length < fewest.length ? waits : fewest));
}
