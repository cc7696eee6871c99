import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a server that can be led elsewhere, cut and held up. */
export interface Link {
  /** On 127.0.0.1. */
  readonly port: number;
  /** Where it leads from now on, a socket; undefined is nowhere. Cuts what goes through it. */
  lead(path: string | undefined): void;
  /** Cuts all connections; new ones get through. */
  cut(): void;
  /** Lets nothing through until `release`, and breaks no connection. */
  hold(): void;
  release(): void;
  close(): void;
}

/** Starts one that leads nowhere yet. */
export async function startLink(): Promise<Link> {
  const sockets = new Set<Socket>();
  let target: string | undefined;
  let isHeld = false;
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isHeld) from.pause();
  };
  const server = createServer((client) => {
    client.on('error', () => undefined);
    if (target === undefined) return void client.destroy();
    const upstream = connect(target);
    join(client, upstream);
    join(upstream, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead: (path) => {
      target = path;
      isHeld = false;
      cut();
    },
    cut,
    hold: () => {
      isHeld = true;
      for (const socket of sockets) socket.pause();
    },
    release: () => {
      isHeld = false;
      for (const socket of sockets) socket.resume();
    },
    close: () => {
      target = undefined;
      cut();
      server.close();
    },
  };
}
