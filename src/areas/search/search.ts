import { JsonText, type Page, type PageRequest } from '../../contract/answers.ts';
import { missingPermission } from '../../contract/errors.ts';
import type { Permission } from '../../contract/permissions.ts';
import type { Principal } from '../../contract/principal.ts';
import { requireParameter } from '../../contract/required-values.ts';
import { refuse } from '../../contract/validation.ts';
import type { Database, ReadTransaction } from '../../storage/database.ts';
import type {
  FolderTree,
  FullTextIndex,
  Hit,
  IndexedText,
  SearchedKind,
} from '../../storage/full-text/full-text-index.ts';
import { fold } from '../../text/fold.ts';
import { throwIfCancelled } from '../../turns/cancellation.ts';
import { runsOf } from '../../turns/in-turns.ts';
import { giveWay } from '../../turns/next-turn.ts';
import type { DirectoryService } from '../directory/service.ts';
import type { SearchedFolder } from '../drive/service.ts';
import {
  type Found,
  type FoundTexts,
  fulfils,
  holdForMoreTexts,
  isNamedOrInUse,
  type Meaning,
} from './evaluation.ts';
import { findHits } from './found-objects.ts';
import { isIndexed, type PlannedQuery, planQuery } from './index-query.ts';
import { parseQuery, type Query, shownWords } from './query.ts';
import { SearchQuery } from './schema.ts';
import { snippetOf } from './snippet.ts';
import { isCutExcerpt, type SearchedServices, type Sources, textsOfExcerpt } from './sources.ts';

/** What the search depends on. */
export interface SearchDependencies extends SearchedServices {
  readonly database: Database;
  readonly index: FullTextIndex;
  readonly sources: Sources;
  readonly directory: DirectoryService;
}

const PERMISSION_OF: Readonly<Record<SearchedKind, Permission>> = {
  message: 'mail.messages.read',
  contact: 'contacts.read',
  file: 'files.read',
  document: 'docs.documents.read',
  spreadsheet: 'docs.documents.read',
};

const KINDS = Object.keys(PERMISSION_OF) as SearchedKind[];

/** Objects that are asked of the index at a time, first and at most. */
const LEAST_HITS = 50;
const MOST_HITS = 1_000;

/** A page ends when so many objects were passed over: the next one goes on from there. */
const MOST_PASSED_OVER = 20_000;

/** Objects whose texts are in memory together: each may have a million characters. */
const TEXTS_AT_ONCE = 10;

/** Bytes of objects whose texts are in memory together. */
const BYTES_AT_ONCE = 10_000_000;

/** As many an object has at most that is no message: of other texts an excerpt is kept. */
const MOST_OF_EXCERPT = 1_000_000;

/** An object whose texts are read is passed over as so many more as it has thousands of characters. */
const CHARACTERS_A_HIT = 1_000;

const NO_TEXTS: FoundTexts = { texts: [], hasAttachment: false };

/** The search over everything that a user sees. */
export class SearchService {
  readonly #dependencies: SearchDependencies;

  constructor(dependencies: SearchDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * A page of what matches a query, newest first, read in transactions of its own. Rejects with ApiError
   * validation_failed for a query that says nothing, insufficient_scope for a kind that the key may not read.
   */
  async search(principal: Principal, asked: SearchQuery, { limit, after }: PageRequest): Promise<Page> {
    for (const [name, schema] of Object.entries(SearchQuery.properties)) {
      const value = asked[name as keyof SearchQuery];
      if (value !== undefined) requireParameter(schema, value, name);
    }
    const kinds = kindsFor(principal, asked.kinds);
    const query = parsed(asked.q);
    const seesCells = principal.permissions.has('sheets.values.read');
    const plan = planQuery(query, kinds, seesCells);
    if (plan.kinds.length === 0 || plan.from >= plan.until) return { items: [], count: 0, last: undefined };
    const search = await this.#prepare(principal, query, plan, seesCells);
    return this.#page(search, limit, after === undefined ? undefined : String(after[0]));
  }

  async #prepare(
    principal: Principal,
    query: Query,
    plan: PlannedQuery,
    seesCells: boolean,
  ): Promise<Search> {
    const { database, directory, files } = this.#dependencies;
    const [groupIds, folders, ownerIds] = await database.read((tx) =>
      Promise.all([
        directory.listGroupIdsOf(tx, principal),
        files.searchedFolders(tx, principal),
        this.#ownerIds(tx, principal, query),
      ]),
    );
    const principals = [principal.userId, ...groupIds];
    return { principal, query, plan, principals, trees: treesOf(folders), meaning: { seesCells, ownerIds } };
  }

  /** The users that "owner:" names: by "me", an id or an address. */
  async #ownerIds(
    tx: ReadTransaction,
    { workspaceId, userId }: Principal,
    { clauses }: Query,
  ): Promise<Map<string, string | undefined>> {
    const ids = new Map<string, string | undefined>();
    for (const { atom } of clauses.flat()) {
      if (atom.type !== 'owner' || ids.has(atom.value)) continue;
      const folded = fold(atom.value);
      const holders = await this.#dependencies.directory.findAddressHolders(tx, workspaceId, [folded]);
      ids.set(atom.value, folded === 'me' ? userId : (holders.get(folded)?.userId ?? atom.value));
    }
    return ids;
  }

  async #page(search: Search, limit: number, behind: string | undefined): Promise<Page> {
    const found: Found[] = [];
    const isOfTexts = asksTexts(search.plan);
    let last = behind;
    let passedOver = 0;
    for (let ask = Math.max(LEAST_HITS, limit); ; ask = Math.min(2 * ask, MOST_HITS)) {
      const hits = await this.#ask(search, last, ask);
      for (const portion of runsOf(hits, isOfTexts ? TEXTS_AT_ONCE : MOST_HITS)) {
        const looked = await this.#shown(search, portion);
        found.push(...looked.shown.slice(0, limit - found.length));
        if (found.length === limit) return this.#items(search, found, found.at(-1)?.place);
        last = looked.last ?? last;
        passedOver += looked.passedOver;
        if (passedOver >= MOST_PASSED_OVER)
          return { ...(await this.#items(search, found, last)), isCut: true };
        throwIfCancelled();
        await giveWay();
      }
      if (hits.length < ask) return this.#items(search, found, last);
    }
  }

  #ask(
    { principal, principals, trees, plan }: Search,
    behind: string | undefined,
    limit: number,
  ): Promise<Hit[]> {
    return this.#dependencies.index.search({
      workspaceId: principal.workspaceId,
      principals,
      trees,
      kinds: plan.kinds,
      clauses: plan.terms,
      from: plan.from,
      until: plan.until,
      behind,
      limit,
    });
  }

  /**
   * Those of the hits that the caller sees now and that fulfil the whole query, and as how many they count as passed over.
   * It ends at `last`, before the last of the hits where that are more than a page passes over.
   */
  async #shown(search: Search, hits: readonly Hit[]): Promise<Looked> {
    const { principal, query, plan, meaning } = search;
    const found = await this.#dependencies.database.read((tx) =>
      findHits(tx, this.#dependencies, principal, hits),
    );
    const inUse = found.filter((one) => isNamedOrInUse(one, query.clauses));
    const texts = asksTexts(plan) ? await this.#texts(principal, inUse) : undefined;
    const shown: Found[] = [];
    let passedOver = hits.length;
    for (const one of inUse) {
      let read = texts?.get(one.id) ?? NO_TEXTS;
      let isShown = await fulfils(plan.rest, one, read, meaning);
      if (read.isCut === true && !(isShown && holdForMoreTexts(plan.rest))) {
        read = await this.#wholeTexts(principal, one);
        isShown = await fulfils(plan.rest, one, read, meaning);
      }
      if (isShown) shown.push(one);
      for (const { text } of read.texts) passedOver += text.length / CHARACTERS_A_HIT;
      throwIfCancelled();
      if (passedOver >= MOST_PASSED_OVER) return { shown, passedOver, last: one.place };
    }
    return { shown, passedOver, last: hits.at(-1)?.place };
  }

  /** All texts of an object of which the index has kept the beginning: they are read anew, with the object itself. */
  async #wholeTexts({ workspaceId }: Principal, { kind, id }: Found): Promise<FoundTexts> {
    const [object] = await this.#dependencies.sources.objects([{ workspaceId, kind, id }]);
    return object ?? NO_TEXTS;
  }

  /** The texts of messages and contacts from their rows, those of contents as the index has kept them. */
  async #texts(principal: Principal, found: readonly Found[]): Promise<Map<string, FoundTexts>> {
    const { sources, index } = this.#dependencies;
    const { workspaceId } = principal;
    const rows = found.filter(({ kind }) => kind === 'message' || kind === 'contact');
    const nodes = found.filter((one) => !rows.includes(one));
    const texts = new Map<string, FoundTexts>();
    const objects = await sources.objects(rows.map(({ kind, id }) => ({ workspaceId, kind, id })));
    for (const object of objects) texts.set(object.id, object);
    const excerpts =
      nodes.length > 0
        ? await index.excerpts(
            workspaceId,
            nodes.map(({ id }) => id),
          )
        : new Map();
    for (const node of nodes) texts.set(node.id, textsOfNode(node, excerpts.get(node.id)));
    return texts;
  }

  async #items(search: Search, found: readonly Found[], last: string | undefined): Promise<Page> {
    const { principal, query, meaning } = search;
    const words = shownWords(query);
    const items: string[] = [];
    for (const some of portionsOf(found)) {
      const texts = await this.#texts(principal, some);
      for (const one of some) {
        const read = texts.get(one.id) ?? NO_TEXTS;
        const shown = read.texts.filter(({ field }) => field !== 'cells' || meaning.seesCells);
        const snippet = await snippetOf(textsToShow(shown), words);
        items.push(itemOf(one, snippet));
        throwIfCancelled();
        await giveWay();
      }
    }
    return {
      items: new JsonText(`[${items.join()}]`),
      count: found.length,
      last: last === undefined ? undefined : [last],
    };
  }
}

/** A search of a caller. */
interface Search {
  readonly principal: Principal;
  readonly query: Query;
  readonly plan: PlannedQuery;
  /** The user and the user's groups. */
  readonly principals: readonly string[];
  /** The folders of others that the user reaches. */
  readonly trees: readonly FolderTree[];
  readonly meaning: Meaning;
}

/** What a portion of hits comes to. */
interface Looked {
  readonly shown: readonly Found[];
  readonly passedOver: number;
  /** The place of the last one that was looked at. */
  readonly last: string | undefined;
}

/** Whether the rest of a query asks for texts: a phrase of three words, for example. */
function asksTexts({ rest }: PlannedQuery): boolean {
  return rest.flat().some(({ atom }) => isIndexed(atom));
}

/** Objects in portions whose texts fit memory: most pages are one, and read together. */
function* portionsOf(found: readonly Found[]): Generator<readonly Found[]> {
  let portion: Found[] = [];
  let bytes = 0;
  for (const one of found) {
    const size = most(one);
    if (portion.length > 0 && bytes + size > BYTES_AT_ONCE) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(one);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

/** The bytes that the texts of an object have at most. */
function most({ kind, size = MOST_OF_EXCERPT }: Found): number {
  return kind === 'message' ? size : Math.min(size, MOST_OF_EXCERPT);
}

function kindsFor({ permissions }: Principal, asked: readonly SearchedKind[] | undefined): SearchedKind[] {
  if (asked === undefined) return KINDS.filter((kind) => permissions.has(PERMISSION_OF[kind]));
  const missing = asked.map((kind) => PERMISSION_OF[kind]).find((permission) => !permissions.has(permission));
  if (missing !== undefined) throw missingPermission(missing);
  return KINDS.filter((kind) => asked.includes(kind));
}

function parsed(q: string): Query {
  const query = parseQuery(q);
  if ('clauses' in query) return query;
  refuse([{ parameter: 'q', code: 'invalid', message: query.problem }]);
  throw new TypeError('The problem of a query was not refused');
}

function textsOfNode({ kind, title, filename }: Found, excerpt: string | undefined): FoundTexts {
  const names: IndexedText[] = [{ field: kind === 'file' ? 'filename' : 'other', text: title }];
  if (filename !== undefined && filename !== title) names.push({ field: 'filename', text: filename });
  if (excerpt === undefined) return { texts: names, hasAttachment: false };
  const field = kind === 'spreadsheet' ? 'cells' : 'body';
  const pieces = textsOfExcerpt(excerpt).map((text): IndexedText => ({ field, text }));
  return { texts: [...pieces, ...names], hasAttachment: false, isCut: isCutExcerpt(excerpt) };
}

/** The pieces of a content stand together, so that a snippet shows what is around a cell. */
function textsToShow(texts: readonly IndexedText[]): string[] {
  const isPiece = ({ field }: IndexedText) => field === 'cells' || field === 'body';
  const textOf = ({ text }: IndexedText) => text;
  const others = texts.filter((one) => !isPiece(one)).map(textOf);
  return [texts.filter(isPiece).map(textOf).join('\n'), ...others];
}

function itemOf(
  { kind, id, title, at, record }: Found,
  { snippet, highlights }: { snippet: string; highlights: unknown },
): string {
  const shown = JSON.stringify({ kind, id, title, snippet, highlights, at });
  return `${shown.slice(0, -1)},"record":${record}}`;
}

/** The trees that folders form which a user reaches: each folder is in one of them. */
function treesOf(reached: readonly SearchedFolder[]): FolderTree[] {
  const inFolder = Map.groupBy(reached, ({ parentId }) => parentId);
  const left = new Set(reached.map(({ id }) => id));
  const trees = reached.filter(({ parentId }) => !left.has(parentId)).map(({ id }) => treeOf(id, inFolder));
  for (const tree of trees) for (const id of tree) left.delete(id);
  // What is left lies in a cycle, which only a damaged backup has.
  return [...trees, ...[...left].map((id) => [id])];
}

/** A folder and all below it, itself first. */
function treeOf(id: string, inFolder: ReadonlyMap<string, readonly SearchedFolder[]>): FolderTree {
  const tree = new Set([id]);
  for (const above of tree) for (const { id: one } of inFolder.get(above) ?? []) tree.add(one);
  return [...tree];
}
