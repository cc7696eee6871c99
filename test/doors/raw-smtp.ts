/** A client that sends exactly what it is told, for what no mail program would send. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One reply: its code and its lines without the code. */
export interface Reply {
  code: number;
  lines: string[];
}

/** A connection to the SMTP door. */
export class RawSmtp {
  readonly socket: Socket;
  #received = '';
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received += chunk.toString();
      this.#wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** The next reply, however many lines it has. Rejects when the connection ends before. */
  async reply(): Promise<Reply> {
    for (;;) {
      const match = /^(?:\d{3}-[^\r\n]*\r\n)*(\d{3})(?: [^\r\n]*)?\r\n/.exec(this.#received);
      if (match) {
        this.#received = this.#received.slice(match[0].length);
        const lines = match[0].trimEnd().split('\r\n');
        return { code: Number(match[1]), lines: lines.map((line) => line.slice(4)) };
      }
      assert.ok(!this.#ended, `the connection ended: ${JSON.stringify(this.#received)}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Sends a line and answers its reply. */
  async command(line: string): Promise<Reply> {
    this.send(`${line}\r\n`);
    return this.reply();
  }

  /** Sends a line that must be answered with this code. */
  async expect(code: number, line: string): Promise<Reply> {
    const reply = await this.command(line);
    assert.equal(reply.code, code, `${line}: ${reply.code} ${reply.lines.join(' / ')}`);
    return reply;
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes);
  }

  /** Greets, names sender and recipients, and begins a message. */
  async begin(
    recipients: string[],
    { sender = 'ada@elsewhere.example', parameters = '' } = {},
  ): Promise<void> {
    await this.expect(250, `MAIL FROM:<${sender}>${parameters}`);
    for (const recipient of recipients) await this.expect(250, `RCPT TO:<${recipient}>`);
    await this.expect(354, 'DATA');
  }

  /** A whole transaction with these bytes as they are; answers the reply to the message. */
  async transact(recipients: string[], content: string | Uint8Array, options = {}): Promise<Reply> {
    await this.begin(recipients, options);
    this.send(content);
    this.send('\r\n.\r\n');
    return this.reply();
  }

  /** Whether nothing more is said within so many milliseconds. */
  async isSilent(ms: number): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.#received === '';
  }

  /** Resolves when the server has closed. */
  async closed(): Promise<void> {
    if (!this.#ended) await once(this.socket, 'close');
  }

  close(): void {
    this.socket.destroy();
  }
}

/** A connection that has read the greeting. */
export async function dial(port: number): Promise<RawSmtp> {
  // Else the end of a message waits for 40 ms until the system acknowledges what came before it.
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  const client = new RawSmtp(socket);
  const greeting = await client.reply();
  assert.equal(greeting.code, 220, greeting.lines.join());
  return client;
}

/** A connection that has said EHLO. */
export async function greeted(port: number, helo = 'client.example'): Promise<RawSmtp> {
  const client = await dial(port);
  await client.expect(250, `EHLO ${helo}`);
  return client;
}
