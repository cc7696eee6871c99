import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Asked = [IncomingMessage, ServerResponse];

/**
 * Hands the requests of a connection on one by one, each when the answer before it has left. Answers leave in order
 * (RFC 9112, 9.3.2), so those to what is asked ahead would pile up here while a client does not read. What has arrived
 * waits, and no more is read meanwhile.
 */
export function oneByOne(handle: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Asked[]>();
  const begin = (socket: Socket, [request, response]: Asked, line: Asked[]) => {
    response.once('close', () => goOn(socket, line));
    handle(request, response);
  };
  const goOn = (socket: Socket, line: Asked[]) => {
    const next = socket.writable ? line.shift() : undefined;
    if (next) begin(socket, next, line);
    else lines.delete(socket);
    if (line.length === 0 && socket.isPaused()) socket.resume();
  };
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line) {
      line.push([request, response]);
      socket.pause();
      return;
    }
    const first: Asked[] = [];
    lines.set(socket, first);
    begin(socket, [request, response], first);
  };
}
