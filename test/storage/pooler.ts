import { on, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';

/** Stands for a pooler in transaction mode: what a client has set in its first session is not set where it goes on. */
export interface Pooler {
  readonly url: string;
  close(): void;
}

// Messages of the server: https://www.postgresql.org/docs/current/protocol-message-formats.html
const KEY_DATA = 'K';
const READY = 'Z';
const HEAD_BYTES = 5;

/** Starts one for the database that the URL names. Each connection goes on in another session after its first answer. */
export async function startPooler(databaseUrl: string): Promise<Pooler> {
  const { host, port } = new pg.Client(databaseUrl);
  const upstream = () => (host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host));
  const sockets = new Set<Socket>();
  const server = createServer((client) => void serve(client, upstream, sockets));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url.searchParams.delete('host');
  return {
    url: url.href,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function serve(client: Socket, upstream: () => Socket, sockets: Set<Socket>): Promise<void> {
  const open = () => {
    const socket = upstream();
    sockets.add(socket);
    return socket.on('error', () => client.destroy()).on('close', () => client.destroy());
  };
  sockets.add(client);
  let session = open();
  const others = [session];
  client.on('error', () => undefined).on('close', () => others.forEach((socket) => void socket.destroy()));
  let startup: Buffer | undefined;
  client.on('data', (bytes: Buffer) => {
    startup ??= bytes;
    session.write(bytes);
  });
  let ready = 0;
  for await (const message of messagesOf(session)) {
    const kind = String.fromCharCode(message[0] ?? 0);
    // The number of a process that there is not.
    if (kind === KEY_DATA) message.writeInt32BE(-1, HEAD_BYTES);
    if (kind === READY && ++ready === 2) {
      session = open();
      others.push(session);
      session.write(startup ?? '');
      for await (const first of messagesOf(session)) if (String.fromCharCode(first[0] ?? 0) === READY) break;
      client.write(message);
      session.on('data', (bytes) => void client.write(bytes));
      return;
    }
    client.write(message);
  }
}

/** Each message that a server sends. */
async function* messagesOf(socket: Socket): AsyncGenerator<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const [chunk] of on(socket, 'data')) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= HEAD_BYTES && bytes.length > bytes.readInt32BE(1)) {
      const length = 1 + bytes.readInt32BE(1);
      yield bytes.subarray(0, length);
      bytes = bytes.subarray(length);
    }
  }
}
