import { LostRace, WorkspaceUnreachable } from '../database.ts';
import { EVERYWHERE } from '../schema/everywhere.ts';
import { type Conversation, type TimedQuery, workspacesIn } from './conversation.ts';
import type { ProbedWorker, WorkerProbe } from './worker-probe.ts';

const LOOK_EVERY_MS = 50;
/** A statement that waits for so long has its worker tried. Longer waits, as for locks, have it tried again ever less often. */
const PATIENCE_MS = 200;
/** The same for statements that name no workspace, for which all workers are tried: sweeps, and secrets of the console. */
const PATIENCE_WITH_ALL_MS = 700;
/** Between two trials of workers that are lost. */
const TRY_AGAIN_MS = 500;
/** Where a workspace is may change: its shard is moved. */
const HOMES_LAST_MS = 10_000;
/** A database that is no cluster may become one. */
const NO_CLUSTER_LASTS_MS = 30_000;

const WRITES = /^(?:insert into|update|delete from) "?(\w+)/;
const WORDS = /\w+/g;

/** Nobody knows yet which worker has a workspace, and some worker is lost: look, and begin anew. Nothing was sent. */
export class HomeUnknown extends LostRace {
  readonly workspaces: readonly string[];

  constructor(workspaces: readonly string[]) {
    super('Which server has the workspace is looked up');
    this.workspaces = workspaces;
  }
}

/**
 * Which workers of a cluster do not answer. While all do, nothing is asked: only a statement that waits, or fails, has its
 * worker tried, by one probe at a time. While a worker is lost, what is for its workspaces is refused before it is sent, so
 * that no connection waits for it, and the probe tries it until it is back. What waited is given up.
 */
export class Workers {
  readonly #probe: WorkerProbe;
  readonly #conversations = new Set<Conversation>();
  /** Groups whose worker does not answer. */
  #lost = new Set<number>();
  #homes = new Map<string, number>();
  #homesSince = 0;
  /** Processes of the coordinator that may wait for a lost worker, and hold locks, though they were given up. */
  readonly #ended = new Set<number>();
  /** The tables that are spread. */
  #spread: ReadonlySet<string> | undefined;
  readonly #areSpread = new Map<string, boolean>();
  /** Workspaces of which something was answered while workers are tried. */
  #answered: Set<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #noClusterUntil = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(probe: WorkerProbe) {
    this.#probe = probe;
  }

  /** Watches a conversation until `end`. */
  begin(conversation: Conversation): void {
    this.#conversations.add(conversation);
    this.#timer ??= setInterval(() => this.#tick(), LOOK_EVERY_MS).unref();
  }

  end(conversation: Conversation): void {
    this.#conversations.delete(conversation);
  }

  /** Tries nothing any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking;
    await this.#probe.close();
  }

  /** Throws WorkspaceUnreachable or HomeUnknown for a statement that would wait for a lost worker; else notes its workspaces. */
  admit(conversation: Conversation, query: TimedQuery): void {
    const named = workspacesIn(query);
    if (this.#lost.size > 0) this.#refuse(named, query.text);
    for (const workspace of named) conversation.workspaces.add(workspace);
    conversation.isForAll ||= writesEverywhere(query.text);
  }

  #refuse(named: readonly string[], text: string): void {
    if (named.some((workspace) => this.#isLost(workspace)))
      throw new WorkspaceUnreachable('The server that has the workspace does not answer');
    const unknown = named.filter((workspace) => !this.#homes.has(workspace));
    if (unknown.length > 0) throw new HomeUnknown(unknown);
    if (writesEverywhere(text) || (named.length === 0 && this.#isSpread(text)))
      throw new WorkspaceUnreachable('A server of the cluster does not answer, and this needs all of them');
  }

  /** Notes that a statement was answered. One of several workspaces says nothing of each: a worker may have had none of its rows. */
  heard(query: TimedQuery): void {
    if (this.#answered === undefined || !this.#isSpread(query.text)) return;
    const [workspace, ...others] = new Set(workspacesIn(query));
    if (workspace !== undefined && others.length === 0) this.#answered.add(workspace);
  }

  /** Whether a conversation has asked something of a lost worker, and would wait for it to end its transaction. */
  isStuck({ workspaces, isForAll }: Conversation): boolean {
    return this.#lost.size > 0 && (isForAll || [...workspaces].some((workspace) => this.#isLost(workspace)));
  }

  /** Tries the workers of a conversation in which one was not reached; resolves when that is known. */
  async suspect(conversation: Conversation): Promise<void> {
    await this.#looking;
    await this.#look([conversation]);
  }

  /** Looks up which workers have these workspaces. */
  async locate(workspaces: readonly string[]): Promise<void> {
    const found = await this.#probe.homesOf(workspaces);
    for (const [workspace, home] of found) this.#homes.set(workspace, home);
  }

  #isLost(workspace: string): boolean {
    const home = this.#homes.get(workspace);
    return home !== undefined && this.#lost.has(home);
  }

  /** Whether a statement reads or writes tables that are spread. Without a workspace it asks all workers. */
  #isSpread(text: string): boolean {
    let isSpread = this.#areSpread.get(text);
    if (isSpread === undefined) {
      isSpread = (text.match(WORDS) ?? []).some((word) => this.#spread?.has(word));
      this.#areSpread.set(text, isSpread);
    }
    return isSpread;
  }

  #tick(): void {
    const now = performance.now();
    if (this.#conversations.size === 0 && this.#lost.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    if (this.#looking !== undefined || this.#isClosed || now < this.#noClusterUntil) return;
    const late = [...this.#conversations].filter((conversation) => isLate(conversation, now));
    const isDue = this.#lost.size > 0 && now - this.#triedAt > TRY_AGAIN_MS;
    if (late.length > 0 || isDue) void this.#look(late);
  }

  #look(suspects: readonly Conversation[]): Promise<void> {
    this.#looking ??= this.#lookOnce(suspects)
      // The coordinator does not answer: nothing is known of its workers.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = undefined;
        this.#triedAt = performance.now();
      });
    return this.#looking;
  }

  async #lookOnce(suspects: readonly Conversation[]): Promise<void> {
    if (!(await this.#knowsTables())) return;
    this.#answered = new Set();
    try {
      const workspaces = [...new Set(suspects.flatMap(({ workspaces }) => [...workspaces]))];
      await this.#locateUnknown(workspaces);
      const asked = new Set(workspaces.map((workspace) => this.#homes.get(workspace)));
      const isAll = suspects.some(({ workspaces, isForAll }) => isForAll || workspaces.size === 0);
      const workers = await this.#probe.workers();
      const groups = new Set(workers.map(({ group }) => group));
      await this.#judge(workers.filter(({ group }) => isAll || asked.has(group) || this.#lost.has(group)));
      // One that was taken out of the cluster is not waited for.
      this.#lost = this.#lost.intersection(groups);
    } finally {
      this.#answered = undefined;
    }
    await this.#giveUpStuck();
  }

  async #locateUnknown(workspaces: readonly string[]): Promise<void> {
    if (performance.now() - this.#homesSince > HOMES_LAST_MS) {
      this.#homes = new Map();
      this.#homesSince = performance.now();
    }
    const unknown = workspaces.filter((workspace) => !this.#homes.has(workspace));
    if (unknown.length > 0) await this.locate(unknown);
  }

  async #judge(tried: readonly ProbedWorker[]): Promise<void> {
    const results = await Promise.allSettled(tried.map((worker) => this.#probe.answers(worker)));
    await this.#locateUnknown([...(this.#answered ?? [])]);
    const alive = new Set([...(this.#answered ?? [])].map((workspace) => this.#homes.get(workspace)));
    const lost = new Set(this.#lost);
    for (const [i, { group }] of tried.entries()) {
      const result = results[i];
      // A busy worker that answers others is not lost.
      if (result?.status === 'fulfilled' && !result.value && !alive.has(group)) lost.add(group);
      else if (result?.status === 'fulfilled') lost.delete(group);
    }
    // Until the next time migrations may make tables.
    if (lost.size === 0 && this.#lost.size > 0) this.#spread = undefined;
    this.#lost = lost;
  }

  /** Learns the names of the tables. Returns false where the database is no cluster. */
  async #knowsTables(): Promise<boolean> {
    if (this.#spread !== undefined) return true;
    if (!(await this.#probe.isCluster())) {
      this.#noClusterUntil = performance.now() + NO_CLUSTER_LASTS_MS;
      return false;
    }
    const names = await this.#probe.spreadTables();
    if (names.length === 0) return false;
    this.#areSpread.clear();
    this.#spread = new Set(names);
    return true;
  }

  /**
   * Has what waits for a lost worker fail, and ends what waits for it on the server, but for what is being committed. A process
   * there ends when the worker answers; until then it holds its locks, and what waits for one of them fails as well.
   */
  async #giveUpStuck(): Promise<void> {
    if (this.#lost.size === 0) return this.#ended.clear();
    const waiting = [...this.#conversations].filter((each) => each.waitedMs(performance.now()) > 0);
    await this.#locateUnknown([...new Set(waiting.flatMap(({ workspaces }) => [...workspaces]))]);
    await this.#giveUp(waiting.filter((each) => this.isStuck(each) || this.#waitsForAll(each)));
    const left = waiting.filter(({ isGivenUp }) => !isGivenUp);
    const blocked = await this.#probe.blockedBy(backendsOf(left), [...this.#ended]);
    await this.#giveUp(left.filter(({ backend }) => backend !== undefined && blocked.has(backend)));
  }

  async #giveUp(stuck: readonly Conversation[]): Promise<void> {
    for (const conversation of stuck) conversation.hangUp();
    for (const backend of backendsOf(stuck)) this.#ended.add(backend);
    await this.#probe.end(backendsOf(stuck.filter(({ isCommitting }) => !isCommitting)));
  }

  #waitsForAll({ waiting }: Conversation): boolean {
    return [...waiting].some((query) => workspacesIn(query).length === 0 && this.#isSpread(query.text));
  }
}

function backendsOf(conversations: readonly Conversation[]): number[] {
  return conversations.flatMap(({ backend }) => (backend === undefined ? [] : [backend]));
}

/** Whether a statement writes to a table that every server has, for which all have to be there. */
function writesEverywhere(text: string): boolean {
  return EVERYWHERE.includes(WRITES.exec(text)?.[1] ?? '');
}

/** Whether it waits for so long that its worker is to be tried; asks for twice the patience next time. */
function isLate(conversation: Conversation, now: number): boolean {
  const first = conversation.workspaces.size > 0 ? PATIENCE_MS : PATIENCE_WITH_ALL_MS;
  conversation.patienceMs ??= first;
  if (conversation.waitedMs(now) < conversation.patienceMs) return false;
  conversation.patienceMs *= 2;
  return true;
}
