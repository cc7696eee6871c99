import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** The tag in the server's answer to a COMMIT. */
const COMMITTED = 'COMMIT\0';

/** Stands between a client and a PostgreSQL server, and breaks. */
export interface PostgresProxy {
  readonly url: string;
  /** Called with what the client sends; true cuts the connection before the server gets it. */
  cutsBefore: (sent: Buffer) => boolean;
  /**
   * Called with what the client sends, which has a COMMIT; true cuts the connection once the server has committed, and gives
   * the client no answer of what it had sent before either.
   */
  cutsAfter: (sent: Buffer) => boolean;
  /** Cuts all connections and refuses new ones until `resume`. */
  breakDown(): void;
  /** Passes on nothing more, and takes connections without a word, until `resume`: as a server that was stopped does. */
  fallSilent(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Starts a proxy for the database that the URL names. */
export async function startProxy(databaseUrl: string): Promise<PostgresProxy> {
  const { host, port } = new pg.Client(databaseUrl);
  const upstream = () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
  const sockets = new Set<Socket>();
  let down = false;
  /** Those who came while the server was silent. */
  let kept: Socket[] | undefined;
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (down) client.destroy();
    else if (kept !== undefined) kept.push(client);
    else relay(client, upstream(), proxy, sockets);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const breakDown = () => {
    down = true;
    for (const socket of [...sockets, ...(kept ?? [])]) socket.destroy();
  };
  const proxy: PostgresProxy = {
    url: url.href,
    cutsBefore: () => false,
    cutsAfter: () => false,
    breakDown,
    fallSilent: () => {
      kept = [];
      for (const socket of sockets) socket.pause();
    },
    resume: () => {
      down = false;
      for (const socket of sockets) socket.resume();
      for (const client of kept ?? []) relay(client, upstream(), proxy, sockets);
      kept = undefined;
    },
    close: async () => {
      breakDown();
      await once(server.close(), 'close');
    },
  };
  return proxy;
}

function relay(client: Socket, server: Socket, proxy: PostgresProxy, sockets: Set<Socket>): void {
  const cut = () => {
    client.destroy();
    server.destroy();
  };
  let cutting = false;
  for (const socket of [client, server]) {
    sockets.add(socket);
    socket.on('error', cut);
    socket.on('close', () => {
      sockets.delete(socket);
      cut();
    });
  }
  client.on('data', (sent: Buffer) => {
    if (proxy.cutsBefore(sent)) return cut();
    cutting ||= proxy.cutsAfter(sent);
    server.write(sent);
  });
  server.on('data', (answer: Buffer) => {
    if (!cutting) client.write(answer);
    else if (answer.includes(COMMITTED)) cut();
  });
}
