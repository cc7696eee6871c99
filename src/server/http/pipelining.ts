import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

interface Asked {
  request: IncomingMessage;
  response: ServerResponse;
  handle: RequestListener;
}

/** What a connection has asked and has no whole answer to. */
interface Line {
  current: Asked;
  waiting: Asked[];
  /** Ends the connection behind them. */
  end: (() => void) | undefined;
  /** Keeps the connection from being read. */
  pause: (() => void) | undefined;
}

/**
 * Hands the requests of a connection on one by one, each when the answer before it has left. Answers leave in order
 * (RFC 9112, 9.3.2), so those to what is asked ahead would pile up here while a client does not read. What has arrived
 * waits, and no more is read meanwhile.
 */
export class PipelineQueue {
  readonly #lines = new WeakMap<Duplex, Line>();

  /** Handles each request when it has its turn; none on a connection that ends (RFC 9112, 9.6). */
  inTurn(handle: RequestListener): RequestListener {
    return (request, response) => this.#ask(request.socket, { request, response, handle });
  }

  /** The answer that has its turn and has not left whole. */
  current(socket: Duplex): ServerResponse | undefined {
    return this.#lines.get(socket)?.current.response;
  }

  /**
   * Calls `end`, which ends the connection, once all that has come whole is answered; at once where it is what has its
   * turn that does not come whole.
   */
  endAfter(socket: Duplex, end: () => void): void {
    const line = this.#lines.get(socket);
    if (!line?.current.request.complete) {
      end();
      return;
    }
    if (line.waiting.at(-1)?.request.complete === false) line.waiting.pop();
    line.end ??= end;
    hold(socket, line);
  }

  #ask(socket: Duplex, asked: Asked): void {
    const line = this.#lines.get(socket);
    if (!socket.writable || line?.end) asked.request.resume();
    else if (!line) this.#begin(socket, asked, this.#newLine(socket, asked));
    else {
      line.waiting.push(asked);
      hold(socket, line);
    }
  }

  #newLine(socket: Duplex, current: Asked): Line {
    const line: Line = { current, waiting: [], end: undefined, pause: undefined };
    this.#lines.set(socket, line);
    return line;
  }

  #begin(socket: Duplex, asked: Asked, line: Line): void {
    const { request, response, handle } = asked;
    line.current = asked;
    response.on('close', () => this.#goOn(socket, line));
    handle(request, response);
  }

  #goOn(socket: Duplex, line: Line): void {
    const next = socket.writable ? line.waiting.shift() : undefined;
    if (next) this.#begin(socket, next, line);
    else this.#lines.delete(socket);
    if (!next || (line.waiting.length === 0 && !line.end)) release(socket, line);
    if (!next) line.end?.();
  }
}

/** Again and again: Node reads on by itself when a request has come whole. */
function hold(socket: Duplex, line: Line): void {
  if (!line.pause) {
    line.pause = () => socket.pause();
    socket.on('resume', line.pause);
  }
  socket.pause();
}

function release(socket: Duplex, line: Line): void {
  if (!line.pause) return;
  socket.off('resume', line.pause);
  line.pause = undefined;
  socket.resume();
}
