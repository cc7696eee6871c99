/** What nobody can measure here: how people use an installation, and what its machines can do. Each is an option of the command. */
export interface Assumption {
  /** The option on the command line, without dashes. */
  readonly option: string;
  readonly value: number;
  readonly says: string;
}

const ASSUMED = {
  mailbox: {
    messages: of('messages-per-mailbox', 20_000, 'messages kept in a mailbox'),
    files: of('files-per-mailbox', 500, 'files kept by its owner'),
    contacts: of('contacts-per-mailbox', 300, 'contacts'),
    events: of('events-per-mailbox', 1_000, 'events of calendars'),
    messageKilobytes: of('message-kilobytes', 50, 'kilobytes of a message in the blob store'),
    fileKilobytes: of('file-kilobytes', 1_000, 'kilobytes of a file there'),
    requestsPerSecond: of(
      'requests-per-mailbox-second',
      0.02,
      'requests a second in the busiest hour: 72 in that hour',
    ),
    messagesPerDay: of('messages-per-mailbox-day', 40, 'messages that arrive in a day'),
    filesPerDay: of('files-per-mailbox-day', 2, 'files uploaded in a day'),
    writesPerDay: of('writes-per-mailbox-day', 100, 'requests in a day that write'),
    busiestHour: of('busiest-hour', 3, 'what the busiest hour has of the mean hour of a day'),
    daysOfChanges: of('days-of-changes', 30, 'days that the change feed is kept (`ATRIUM_CHANGES_TTL`)'),
    daysOfAnswers: of('days-of-answers', 1, 'days that answers are kept (`ATRIUM_IDEMPOTENCY_TTL`)'),
  },
  workspaces: {
    largest: of('largest-workspace', 100_000, 'people in the largest workspace that there may be'),
    exponent: of('exponent', 2, 'workspaces of n people are as frequent as n to the power of minus this'),
  },
  machines: {
    busy: of('busy', 0.5, 'share of a processor that may be used in the busiest hour'),
    coordinatorProcessors: of('coordinator-processors', 64, 'processors of the coordinator'),
    workerProcessors: of('worker-processors', 32, 'processors of a worker'),
    workerTerabytes: of('worker-terabytes', 40, 'terabytes of rows and indexes on a worker'),
    shardsPerWorker: of(
      'shards-per-worker',
      16,
      'shards on a worker at least; their number is a power of two',
    ),
    connections: of('most-connections', 1_000, 'connections that one PostgreSQL serves well'),
    nodeConnections: of('node-connections', 10, 'connections that a node opens at most'),
    poolerConnections: of(
      'pooler-connections',
      4,
      'connections of a pooler to the coordinator for each of its processors',
    ),
    copies: of('copies', 2, 'servers that have the rows: each with so many less one as standbys'),
    isolated: of('isolated', 0.5, 'a workspace with this share of the mean shard gets a shard of its own'),
    threshold: of('threshold', 0.1, 'how far from the mean a worker may be when shards were moved'),
    movedMegabytes: of('moved-megabytes-second', 100, 'megabytes a second while a shard moves'),
  },
} as const;

function of(option: string, value: number, says: string): Assumption {
  return { option, value, says };
}

/** The assumptions, each with its value. */
export type Assumptions = {
  readonly [Group in keyof typeof ASSUMED]: { readonly [Name in keyof (typeof ASSUMED)[Group]]: number };
};

export const ASSUMPTIONS: readonly Assumption[] = Object.values(ASSUMED).flatMap((group) =>
  Object.values<Assumption>(group),
);

/** Those given by option, the others as they are. Throws RangeError for one that is not a number above 0. */
export function assume(given: Readonly<Record<string, string | undefined>> = {}): Assumptions {
  const chosen = ({ option, value }: Assumption) => {
    const text = given[option];
    if (text === undefined) return value;
    const number = Number(text);
    if (!(number > 0 && Number.isFinite(number))) throw new RangeError(`--${option} is a number above 0.`);
    return number;
  };
  const groups = Object.entries(ASSUMED).map(([group, members]) => [
    group,
    Object.fromEntries(
      Object.entries<Assumption>(members).map(([name, assumption]) => [name, chosen(assumption)]),
    ),
  ]);
  return Object.fromEntries(groups) as Assumptions;
}
