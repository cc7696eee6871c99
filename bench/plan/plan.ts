import { Random } from '../mail/random.ts';
import type { Assumptions } from './assumptions.ts';
import { bytesOf, type Figures } from './figures.ts';
import { type Balance, balance, isolate, placed } from './shards.ts';
import { totalOf, workspacesOf } from './workspaces.ts';

const DAY_SECONDS = 86_400;
const MS = 1e-3;

/** What all mailboxes together ask for in the busiest hour, and keep. */
export interface Demand {
  readonly requestsPerSecond: number;
  readonly messagesPerSecond: number;
  readonly filesPerSecond: number;
  readonly databaseBytes: number;
  readonly blobBytes: number;
  /** Busy processors of nodes, of one PostgreSQL that has it all, and of coordinator and workers of a cluster. */
  readonly processors: { nodes: number; database: number; coordinator: number; workers: number };
}

/** What so many mailboxes ask for. */
export function demandOf(mailboxes: number, { mailbox }: Assumptions, figures: Figures): Demand {
  const perSecond = (perDay: number) => (mailboxes * perDay * mailbox.busiestHour) / DAY_SECONDS;
  const requests = mailboxes * mailbox.requestsPerSecond;
  const messages = perSecond(mailbox.messagesPerDay);
  const processors = (ms: number) => (requests + messages) * ms * MS;
  const changes = mailbox.writesPerDay + mailbox.messagesPerDay;
  const databaseBytes =
    mailbox.messages * bytesOf(figures, 'message') +
    mailbox.files * bytesOf(figures, 'file') +
    mailbox.contacts * bytesOf(figures, 'contact') +
    mailbox.events * bytesOf(figures, 'event') +
    mailbox.writesPerDay * mailbox.daysOfAnswers * figures.bytesOfAnswer.value +
    changes * mailbox.daysOfChanges * figures.bytesOfChange.value;
  const kilobytes = mailbox.messages * mailbox.messageKilobytes + mailbox.files * mailbox.fileKilobytes;
  return {
    requestsPerSecond: requests,
    messagesPerSecond: messages,
    filesPerSecond: perSecond(mailbox.filesPerDay),
    databaseBytes: mailboxes * databaseBytes,
    blobBytes: mailboxes * kilobytes * 1e3,
    processors: {
      nodes:
        requests * figures.nodeMs.value * MS +
        messages * (figures.deliveryMs.value + figures.indexMs.value) * MS,
      database: processors(figures.databaseMs.value),
      coordinator: processors(figures.coordinatorMs.value),
      workers: processors(figures.workersMs.value),
    },
  };
}

/** How many of each there are. */
export interface Parts {
  /** Of one core each. */
  readonly nodes: number;
  readonly workers: number;
  readonly shards: number;
  /** Servers of PostgreSQL with coordinator and standbys. */
  readonly servers: number;
  /** Connections to the coordinator, as nodes open them and as a pooler does. */
  readonly connections: { direct: number; pooled: number };
}

/** The parts of a cluster with this demand. */
export function partsOf(demand: Demand, { machines }: Assumptions): Parts {
  const nodes = Math.ceil(demand.processors.nodes / machines.busy);
  const workers = Math.max(
    2,
    Math.ceil(demand.processors.workers / (machines.workerProcessors * machines.busy)),
    Math.ceil(demand.databaseBytes / (machines.workerTerabytes * 1e12)),
  );
  const direct = nodes * machines.nodeConnections;
  return {
    nodes,
    workers,
    shards: 2 ** Math.ceil(Math.log2(workers * machines.shardsPerWorker)),
    servers: (workers + 1) * machines.copies,
    connections: {
      direct,
      pooled: Math.min(direct, machines.coordinatorProcessors * machines.poolerConnections),
    },
  };
}

/** Something that ends somewhere: what is needed, and what there may be. */
export interface Limit {
  readonly name: string;
  readonly needed: number;
  readonly most: number;
  readonly unit: string;
  /** Whether a pooler takes it away. */
  readonly isOfNoPooler?: true;
}

/** What may break in one cluster of so many mailboxes. */
export function limitsOf(mailboxes: number, assumptions: Assumptions, figures: Figures): Limit[] {
  const demand = demandOf(mailboxes, assumptions, figures);
  const parts = partsOf(demand, assumptions);
  const { machines, workspaces } = assumptions;
  const hottest = demandOf(Math.min(mailboxes, workspaces.largest), assumptions, figures);
  const ofCoordinator = machines.coordinatorProcessors * machines.busy;
  const ofWorker = machines.workerProcessors * machines.busy;
  const answered = demand.requestsPerSecond + demand.messagesPerSecond;
  const questions = parts.nodes * figures.questionsPerSecond.value * parts.shards;
  const processors = 'processors';
  return [
    {
      name: 'the coordinator plans every statement',
      needed: demand.processors.coordinator,
      most: ofCoordinator,
      unit: processors,
    },
    {
      name: 'sweeps, the feed and the search index of each node ask all shards',
      needed: questions * figures.shardQuestionMs.value * MS,
      most: ofCoordinator,
      unit: processors,
    },
    {
      name: 'one node at a time fills the search index',
      needed: demand.messagesPerSecond * figures.indexMs.value * MS,
      most: 1,
      unit: processors,
    },
    {
      name: 'connections to the coordinator without a pooler',
      needed: parts.connections.direct,
      most: machines.connections,
      unit: 'connections',
      isOfNoPooler: true,
    },
    {
      name: 'transactions under way, each on a connection, with a pooler',
      needed: answered * figures.requestMs.value * MS,
      most: machines.connections,
      unit: 'connections',
    },
    {
      name: 'the largest workspace on one worker: processors',
      needed: hottest.processors.workers,
      most: ofWorker,
      unit: processors,
    },
    {
      name: 'the largest workspace on one worker: bytes',
      needed: hottest.databaseBytes / 1e12,
      most: machines.workerTerabytes,
      unit: 'TB',
    },
  ];
}

/** What share of a limit is needed: above 1 it breaks. */
export function shareOf({ needed, most }: Limit): number {
  return needed / most;
}

/** The fewest clusters, each with as many mailboxes, of which none breaks; undefined where even those of one workspace do. */
export function clustersFor(
  mailboxes: number,
  assumptions: Assumptions,
  figures: Figures,
): number | undefined {
  const largest = Math.min(mailboxes, assumptions.workspaces.largest);
  const holds = (clusters: number) =>
    limitsOf(mailboxes / clusters, assumptions, figures).every(
      (limit) => limit.isOfNoPooler || shareOf(limit) <= 1,
    );
  let most = Math.max(1, Math.floor(mailboxes / largest));
  if (!holds(most)) return undefined;
  let least = 1;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (holds(middle)) most = middle;
    else least = middle + 1;
  }
  return most;
}

/** The shards of a cluster: where its workspaces are by chance, and after the largest were isolated and shards were moved. */
export interface Spread {
  readonly workspaces: number;
  readonly largest: number;
  readonly people: number;
  /** People on each shard, most first. */
  readonly shards: readonly number[];
  readonly isolated: number;
  /** After the isolation. */
  readonly afterIsolation: readonly number[];
  readonly balance: Balance;
}

/** Places the workspaces of one cluster. The same seed places them alike. */
export function spreadOf(
  mailboxes: number,
  parts: Parts,
  { workspaces, machines }: Assumptions,
  seed: number,
): Spread {
  const classes = workspacesOf(mailboxes, workspaces);
  const total = totalOf(classes);
  const mean = mailboxes / parts.shards;
  const { isolated, together } = isolate(classes, mean * machines.isolated);
  const alone = isolated.flatMap(({ size, count }) => Array.from({ length: count }, () => size));
  const rest = placed(together, parts.shards, new Random(seed));
  const all = placed(isolated, parts.shards, new Random(seed + 1)).map(
    (people, shard) => people + (rest[shard] ?? 0),
  );
  const after = [...alone, ...rest];
  return {
    ...total,
    largest: classes[0]?.size ?? 0,
    shards: [...all.sort().reverse()],
    isolated: alone.length,
    afterIsolation: after.toSorted((a, b) => b - a),
    balance: balance(after, parts.workers, machines.threshold),
  };
}

/** Everything of one number of mailboxes. */
export interface Plan {
  readonly mailboxes: number;
  readonly demand: Demand;
  readonly parts: Parts;
  readonly spread: Spread;
  /** What is needed most of first. */
  readonly limits: readonly Limit[];
  /** Installations on one PostgreSQL each, without Citus, with a coordinator's processors and a worker's bytes. */
  readonly plainInstallations: number;
  readonly clusters: number | undefined;
}

/** Plans one cluster for all, and says into how many it has to be divided. Throws RangeError for less than one mailbox. */
export function planOf(mailboxes: number, seed: number, assumptions: Assumptions, figures: Figures): Plan {
  if (!(Number.isSafeInteger(mailboxes) && mailboxes > 0))
    throw new RangeError('--mailboxes is a whole number above 0.');
  const demand = demandOf(mailboxes, assumptions, figures);
  const parts = partsOf(demand, assumptions);
  const { machines } = assumptions;
  return {
    mailboxes,
    demand,
    parts,
    spread: spreadOf(mailboxes, parts, assumptions, seed),
    limits: limitsOf(mailboxes, assumptions, figures).sort((a, b) => shareOf(b) - shareOf(a)),
    plainInstallations: Math.max(
      Math.ceil(demand.processors.database / (machines.coordinatorProcessors * machines.busy)),
      Math.ceil(demand.databaseBytes / (machines.workerTerabytes * 1e12)),
    ),
    clusters: clustersFor(mailboxes, assumptions, figures),
  };
}
