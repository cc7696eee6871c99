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
  resume(): void;
  close(): Promise<void>;
}

/** Starts a proxy for the database that the URL names. */
export async function startProxy(databaseUrl: string): Promise<PostgresProxy> {
  const { host, port } = new pg.Client(databaseUrl);
  const upstream = () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
  const sockets = new Set<Socket>();
  let down = false;
  const server = createServer((client) => {
    if (down) client.destroy();
    else relay(client, upstream(), proxy, sockets);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const breakDown = () => {
    down = true;
    for (const socket of sockets) socket.destroy();
  };
  const proxy: PostgresProxy = {
    url: url.href,
    cutsBefore: () => false,
    cutsAfter: () => false,
    breakDown,
    resume: () => {
      down = false;
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
