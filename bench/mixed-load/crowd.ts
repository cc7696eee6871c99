import { connect, type Socket } from 'node:net';
import type { Target, World } from './world.ts';

/** How slow lines, idle apps and attackers behave, and how many of a crowd do so. */
const SHARES = {
  'never says a word': 0.2,
  'keeps its connection for later': 0.2,
  'sends its headers slowly': 0.2,
  'stops within its body': 0.15,
  'sends its body slowly': 0.15,
  'does not read its answer': 0.08,
  'asks on and reads nothing': 0.02,
};

export type Manner = keyof typeof SHARES;

export const MANNERS = Object.keys(SHARES) as Manner[];

/** Those who do not look at their connection, and so do not see it end. */
export const UNSEEING: readonly Manner[] = ['does not read its answer', 'asks on and reads nothing'];

/** Connections that cost a server something and give it little; one that the server ends comes again. */
export interface Crowd {
  /** How often one has seen the server end it, by its manner. */
  readonly ended: Record<Manner, number>;
  /** Leaves. */
  disperse(): void;
}

const TRICKLE_MS = 250;
const COMES_AGAIN_MS = 100;
const BODY_BYTES = 1_000_000;
/** So much is asked for at once by who reads nothing. */
const PIPELINED = 2_000;

/** Says what somebody of this manner says, once connected; answers what it goes on to say, bit by bit. */
type Talk = (socket: Socket, target: Target, world: World) => string | undefined;

const TALKS: Record<Manner, Talk> = {
  'never says a word': () => undefined,
  'keeps its connection for later': (socket, target) => {
    socket.write(`${head('GET /v1/users/me', target)}\r\n`);
    return undefined;
  },
  'sends its headers slowly': (socket, target) => {
    socket.write(`${head('GET /v1/users/me', target)}X-Slow: `);
    return 'x';
  },
  'stops within its body': (socket, target) => {
    socket.write(upload(target));
    return undefined;
  },
  'sends its body slowly': (socket, target) => {
    socket.write(upload(target));
    return 'x';
  },
  'does not read its answer': (socket, target, { largeContent }) => {
    socket.pause();
    socket.write(`${head(`GET ${largeContent}`, target)}\r\n`);
    return undefined;
  },
  'asks on and reads nothing': (socket, target) => {
    socket.pause();
    socket.write(`${head('GET /v1/messages?unread=true&limit=200', target)}\r\n`.repeat(PIPELINED));
    return undefined;
  },
};

/** Lets so many come, at least one of each manner. */
export function gather(
  target: Target,
  world: World,
  count: number,
  manners: readonly Manner[] = MANNERS,
): Crowd {
  const ended = Object.fromEntries(MANNERS.map((manner) => [manner, 0])) as Record<Manner, number>;
  const present = new Set<Socket>();
  let isOver = false;
  const come = (manner: Manner) => {
    if (isOver) return;
    const { hostname, port } = new URL(target.url);
    const socket = connect(Number(port), hostname);
    present.add(socket);
    let trickle: NodeJS.Timeout | undefined;
    socket.once('connect', () => {
      const drop = TALKS[manner](socket, target, world);
      if (drop !== undefined) trickle = setInterval(() => socket.write(drop), TRICKLE_MS);
    });
    socket.resume();
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(trickle);
      present.delete(socket);
      if (isOver) return;
      ended[manner]++;
      setTimeout(come, COMES_AGAIN_MS, manner);
    });
  };
  for (const manner of manners)
    for (let i = Math.max(1, Math.round(count * SHARES[manner])); i > 0; i--) come(manner);
  return {
    ended,
    disperse: () => {
      isOver = true;
      for (const socket of present) socket.destroy();
    },
  };
}

function head(line: string, { key }: Target): string {
  return `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
}

function upload(target: Target): string {
  const line = head(`POST /v1/files?filename=slow.bin`, target);
  return `${line}Idempotency-Key: ${Math.random()}\r\nContent-Length: ${BODY_BYTES}\r\n\r\nten bytes.`;
}
