/**
 * Delivers generated mail over so many connections for so long, each waiting for the yes before the next; as a process
 * of its own, so that making the mail costs the server nothing.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { generateMail, rfc822 } from './generated-mail.ts';

export interface SmtpLoad {
  port: number;
  recipient: string;
  connections: number;
  seconds: number;
}

export interface SmtpResult {
  perSecond: number;
  /** Of one message. */
  meanBytes: number;
}

/** Runs the load; rejects when a message is refused. */
export async function smtpLoad(load: SmtpLoad): Promise<SmtpResult> {
  const process_ = fork(import.meta.filename);
  process_.send(load);
  const ended = once(process_, 'exit').then(([code]) => [`The load ended with code ${code}`]);
  const [result] = await Promise.race([once(process_, 'message'), ended]);
  if (typeof result === 'string') throw new Error(result);
  return result as SmtpResult;
}

/** So many that a run does not end before its time. */
const MOST = 1_000_000;

class Client {
  readonly #socket: Socket;
  #received = '';
  #wake: () => void = () => undefined;
  #isClosed = false;

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1');
      this.#wake();
    });
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  async greet(): Promise<void> {
    await this.#reply('220');
    this.#socket.write('EHLO load.example\r\n');
    await this.#reply('250');
  }

  async send(recipient: string, message: string): Promise<void> {
    this.#socket.write(`MAIL FROM:<load@load.example>\r\nRCPT TO:<${recipient}>\r\nDATA\r\n`);
    for (const code of ['250', '250', '354']) await this.#reply(code);
    this.#socket.write(`${message.replaceAll('\r\n.', '\r\n..')}.\r\n`);
    await this.#reply('250');
  }

  end(): void {
    this.#socket.destroy();
  }

  async #reply(code: string): Promise<void> {
    for (;;) {
      const [reply] = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/.exec(this.#received) ?? [];
      if (reply !== undefined) {
        this.#received = this.#received.slice(reply.length);
        if (!reply.startsWith(code)) throw new Error(reply);
        return;
      }
      if (this.#isClosed) throw new Error('The server hung up');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function run({ port, recipient, connections, seconds }: SmtpLoad): Promise<SmtpResult> {
  const mail = generateMail(MOST);
  const clients = Array.from({ length: connections }, () => new Client(port));
  await Promise.all(clients.map((client) => client.greet()));
  let [delivered, bytes] = [0, 0];
  const start = performance.now();
  const sendUntil = async (client: Client) => {
    while (performance.now() - start < seconds * 1_000) {
      const next = mail.next();
      if (next.done) return;
      const message = rfc822(next.value);
      await client.send(recipient, message);
      delivered++;
      bytes += message.length;
    }
  };
  await Promise.all(clients.map(sendUntil));
  for (const client of clients) client.end();
  return { perSecond: (delivered / (performance.now() - start)) * 1_000, meanBytes: bytes / delivered };
}

if (import.meta.main) {
  const [load] = await once(process, 'message');
  const result = await run(load as SmtpLoad).catch((error: Error) => error.message);
  process.send?.(result);
  process.disconnect?.();
}
