import { createCipheriv, createHash } from 'node:crypto';

/** Choices that are the same for the same seed. */
export interface Random {
  /** From 0 up to `below`, without it. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** Some of the list, at least one of it, in its order. */
  some<T>(list: readonly T[]): T[];
  /** All of the list, in another order. */
  shuffled<T>(list: readonly T[]): T[];
  /** A text that no other call gives, and that is in none of theirs. */
  token(): string;
  bytes(length: number): Buffer;
  /** Choices of its own, the same for the same name whatever is chosen here. */
  fork(name: string): Random;
}

/** Counts through a cipher whose key is the seed. */
export function randomOf(seed: string): Random {
  const key = createHash('sha256').update(seed).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const bytes = (length: number) => cipher.update(Buffer.alloc(length));
  const int = (below: number) => Math.floor((bytes(4).readUInt32BE() / 2 ** 32) * below);
  const pick = <T>(list: readonly T[]) => list[int(list.length)] as T;
  let tokens = 0;
  return {
    int,
    bytes,
    pick,
    chance: (probability) => int(1_000_000) < probability * 1_000_000,
    some: (list) => {
      const kept = pick(list);
      return list.filter((one) => one === kept || int(2) === 0);
    },
    shuffled: (list) => {
      const left = [...list];
      return list.map(() => left.splice(int(left.length), 1)[0] as (typeof list)[number]);
    },
    token: () => `t${key.toString('hex', 0, 4)}x${tokens++}z`,
    fork: (name) => randomOf(`${seed}/${name}`),
  };
}
