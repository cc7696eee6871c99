import { type Actor, makeActor } from './actor.ts';
import type { Cluster } from './cluster.ts';
import { randomOf } from './random.ts';

/** A client of one node of a cluster. */
export function actorAt(cluster: Cluster, node: number, key: string): Actor {
  return makeActor({ ...cluster, address: () => cluster.addressOf(node) }, key, randomOf(`node ${node}`));
}
