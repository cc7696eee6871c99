import Router from 'find-my-way';
import { type Static, Type } from 'typebox';
import type { KeysService } from '../../../areas/keys/service.ts';
import { envelope, JSON_TYPE } from '../../../contract/answers.ts';
import { ApiError } from '../../../contract/errors.ts';
import type { Operation } from '../../../contract/operation.ts';
import type { Principal } from '../../../contract/principal.ts';
import { refuse } from '../../../contract/validation.ts';
import { onBehalfOf, userKey } from '../../../turns/current-user.ts';
import { withDecodablePath } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServer, RouteMatch } from '../http-server.ts';
import { LargeBodies } from '../large-bodies.ts';
import { Pipeline } from '../pipeline.ts';
import { countRequest } from '../rate-limit.ts';
import { authenticate, permitTarget, type Route, serveFor } from '../routes.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { bodyReader, refuseKnownForeignSite, requireJsonType } from './console-request.ts';

const LONGEST_PATH = 8_000;

const Target = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: LONGEST_PATH, pattern: '^/v1/[!-"$-~]+$' }),
  },
  { additionalProperties: false },
);
const readTarget = bodyReader<Static<typeof Target>>(Target);

/**
 * Serves tickets: for downloads, media and the frame of a letter, which cannot carry a Bearer. A ticket is good for one
 * GET of one path that answers content, as its caller.
 */
export function registerTickets(
  server: HttpServer,
  dependencies: ServerDependencies,
  keys: KeysService,
): void {
  const contents = new ContentRoutes(dependencies);
  const observeIssue = dependencies.metrics.ofOperation('issueTicket');
  server.route('POST', '/console/tickets', async (exchange) => {
    exchange.onceAnswered(observeIssue);
    refuseKnownForeignSite(exchange);
    const principal = await authenticate(dependencies, exchange);
    countRequest(dependencies.rateLimit, principal, exchange.headers);
    requireJsonType(exchange);
    await onBehalfOf(userKey(principal), () => issue(exchange, { dependencies, keys, contents }, principal));
  });
  const observeUse = dependencies.metrics.ofOperation('useTicket');
  server.route('GET', '/console/tickets/:ticket', async (exchange, { params }) => {
    exchange.onceAnswered(observeUse);
    await use(exchange, { dependencies, keys, contents }, params.ticket ?? '');
  });
}

interface Tickets {
  dependencies: ServerDependencies;
  keys: KeysService;
  contents: ContentRoutes;
}

async function issue(exchange: Exchange, { dependencies, keys, contents }: Tickets, principal: Principal) {
  const { path } = await readTarget(exchange);
  const found = contents.find(path);
  if (!found) {
    const message =
      'Give a path below /v1, with its query, of which GET answers content, such as a download.';
    return refuse([{ pointer: '/path', code: 'not_allowed', message }]);
  }
  permitTarget(found.route.operation, principal, found.match);
  const { secret: ticket, expiresAt } = await dependencies.database.write((tx) =>
    keys.signIn.issueTicket(tx, principal, path),
  );
  exchange.headers['content-type'] = JSON_TYPE;
  const expires_at = new Date(expiresAt).toISOString();
  exchange.send(200, envelope({ ticket, url: `/console/tickets/${ticket}`, expires_at }, exchange.id));
}

/** What a browser shows, plays or saves (Fetch Standard, request destinations). Scripts, workers and style sheets are not. */
const SHOWN = ['document', 'iframe', 'frame', 'image', 'audio', 'video', 'track', 'font', 'empty'];

/**
 * Throws ApiError not_found where a browser would run the answer: a ticket for a file of anybody has an address on the
 * origin of the page, whose policy lets scripts of that origin run.
 */
function refuseToRun({ requestHeaders }: Exchange, ticket: string): void {
  const wanted = requestHeaders['sec-fetch-dest'];
  if (wanted === undefined || SHOWN.includes(String(wanted))) return;
  const message =
    'A ticket is for what is shown, played or saved: nothing of it runs as a script or style sheet.';
  throw new ApiError('not_found', message, { resource: 'ticket', id: ticket });
}

/** HEAD looks without using the ticket up. */
async function use(
  exchange: Exchange,
  { dependencies, keys: { signIn }, contents }: Tickets,
  ticket: string,
) {
  refuseToRun(exchange, ticket);
  const { database } = dependencies;
  const isRange = exchange.requestHeaders.range !== undefined;
  const { path, principal, isBegun } = await database.read((tx) =>
    signIn.findTicket(tx, ticket, { isRange }),
  );
  if (!isBegun && exchange.method === 'GET') await database.write((tx) => signIn.beginTicket(tx, ticket));
  const found = contents.find(path);
  // A path of another version of the program, whose ticket was issued within the hour.
  if (!found) return refuse([{ parameter: 'ticket', code: 'not_allowed', message: 'Get another ticket.' }]);
  await serveFor(dependencies, found.route, { exchange, principal, match: found.match, url: path });
}

/** The operations that answer content to GET, by their paths. */
class ContentRoutes {
  readonly #router = Router({ maxParamLength: LONGEST_PATH });

  constructor(dependencies: ServerDependencies) {
    const largeBodies = new LargeBodies();
    for (const operation of dependencies.operations.filter(isContent)) {
      const route: Route = { operation, pipeline: new Pipeline(operation, dependencies), largeBodies };
      this.#router.on('GET', operation.path, () => undefined, route);
    }
  }

  find(path: string): { route: Route; match: RouteMatch } | undefined {
    const found = this.#router.find('GET', withDecodablePath(path));
    if (!found?.store) return undefined;
    const params = found.params as Record<string, string>;
    return { route: found.store, match: { params, query: found.searchParams } };
  }
}

function isContent({ method, content, streams }: Operation): boolean {
  return method === 'GET' && content !== undefined && streams === undefined;
}
