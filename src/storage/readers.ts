import { SqliteConnection } from './sqlite-connection.ts';

const MOST_READERS = 16;

/** The connections of a SQLite database that read: the one used last is used next, for its cache is warm. */
export class Readers {
  readonly #path: string;
  readonly #idle: SqliteConnection[] = [];
  readonly #waiting: ((connection: SqliteConnection) => void)[] = [];
  #open = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Lends a connection to `work`; waits where all are lent out. */
  async lend<T>(work: (connection: SqliteConnection) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? (await this.#another());
    try {
      return await work(connection);
    } finally {
      this.#giveBack(connection);
    }
  }

  /** To be called when none is lent out. */
  close(): void {
    for (const connection of this.#idle) connection.close();
  }

  #another(): SqliteConnection | Promise<SqliteConnection> {
    if (this.#open >= MOST_READERS) return new Promise((resolve) => this.#waiting.push(resolve));
    const connection = new SqliteConnection(this.#path, 'read');
    this.#open++;
    return connection;
  }

  #giveBack(connection: SqliteConnection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }
}
