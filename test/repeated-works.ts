/** What a storage engine gives a transaction to; the tests change how it does that, and nothing else. */
interface Writes {
  write(work: (tx: unknown) => Promise<unknown>): Promise<unknown>;
}

let isWanted = false;

class Undone extends Error {}

/**
 * Has the tests of a file run the work of each write twice, the first time in a transaction that is undone, as both
 * engines may (see Database): what a work does outside of its transaction is done twice then. To be called once, at the
 * top of the file.
 */
export function runWorksTwice(): void {
  isWanted = true;
}

/** Changes a database where that is wanted. */
export function repeatWorks(database: object): void {
  if (!isWanted) return;
  const engine = database as Writes;
  const write = engine.write.bind(engine);
  engine.write = async (work) => {
    const undone = async (tx: unknown) => {
      await work(tx);
      throw new Undone();
    };
    await write(undone).catch((error) => {
      if (!(error instanceof Undone)) throw error;
    });
    return write(work);
  };
}
