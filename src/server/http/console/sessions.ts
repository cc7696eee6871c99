import { type Static, Type } from 'typebox';
import type { DirectoryService } from '../../../areas/directory/service.ts';
import { type KeysService, signedOut } from '../../../areas/keys/service.ts';
import { envelope, JSON_TYPE } from '../../../contract/answers.ts';
import type { Principal } from '../../../contract/principal.ts';
import { refuse } from '../../../contract/validation.ts';
import type { WriteTransaction } from '../../../storage/database.ts';
import { onBehalfOf } from '../../../turns/current-user.ts';
import { networkOf } from '../../network.ts';
import type { Exchange } from '../exchange.ts';
import type { HttpServer } from '../http-server.ts';
import { originOf } from '../origin.ts';
import { countRequest } from '../rate-limit.ts';
import type { ServerDependencies } from '../server-dependencies.ts';
import { bodyReader, refuseForeignSite, requireJsonType } from './console-request.ts';

/** The services behind the routes of a console. */
export interface ConsoleServices {
  directory: DirectoryService;
  keys: KeysService;
}

const Credential = Type.Object(
  {
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
    key: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  },
  { additionalProperties: false },
);
const readCredential = bodyReader<Static<typeof Credential>>(Credential);
const readNothing = bodyReader(Type.Object({}, { additionalProperties: false }));

/**
 * Serves the sessions of browsers. They lie outside /v1, which never looks at a cookie: the cookie is good for a
 * short-lived Bearer only, and each of these requests must come from a page of this server.
 */
export function registerSessions(
  server: HttpServer,
  dependencies: ServerDependencies,
  services: ConsoleServices,
): void {
  const serve = (method: 'POST' | 'DELETE', path: string, id: string, answer: Answering) => {
    const observe = dependencies.metrics.ofOperation(id);
    server.route(method, path, async (exchange) => {
      exchange.onceAnswered(observe);
      refuseForeignSite(exchange);
      requireJsonType(exchange);
      // Who it is only the secret tells: until then the work is that of the network.
      await onBehalfOf(networkOf(exchange.request.socket.remoteAddress ?? ''), () =>
        answer(exchange, dependencies, services),
      );
    });
  };
  serve('POST', '/console/session', 'openSession', openSession);
  serve('POST', '/console/session/token', 'renewSession', renewSession);
  serve('DELETE', '/console/session', 'endSession', endSession);
}

type Answering = (
  exchange: Exchange,
  dependencies: ServerDependencies,
  services: ConsoleServices,
) => Promise<void>;

async function openSession(
  exchange: Exchange,
  { database, rateLimit }: ServerDependencies,
  { directory, keys: { signIn } }: ConsoleServices,
): Promise<void> {
  const { code, key } = await readCredential(exchange);
  if ((code === undefined) === (key === undefined)) {
    const message = 'Give a code or a key: one of them.';
    refuse([{ pointer: '', code: 'wrong_members', message }]);
  }
  const given = code === undefined ? { key: key ?? '' } : { code };
  countRequest(rateLimit, await database.read((tx) => signIn.findOpener(tx, given)), exchange.headers);
  const { cookie, shown, lastsMs } = await database.write(async (tx) => {
    const opened = await (given.code === undefined
      ? signIn.openByKey(tx, given.key)
      : signIn.openByCode(tx, given.code));
    const { principal } = opened;
    await tx.join(principal.workspaceId);
    const user = await directory.getUser(tx, principal.workspaceId, principal.userId);
    return { cookie: opened.cookie, shown: shownSession(principal, user), lastsMs: opened.lastsMs };
  });
  setSessionCookie(exchange, cookie, Math.round(lastsMs / 1000));
  send(exchange, shown);
}

async function renewSession(
  exchange: Exchange,
  { database, rateLimit, idempotencyTtlMs }: ServerDependencies,
  { directory, keys: { signIn } }: ConsoleServices,
): Promise<void> {
  await readNothing(exchange);
  const cookies = sessionCookiesOf(exchange);
  // Read first: whoever has no session does not keep the writer busy.
  const [session, ...others] = await database.read((tx) => signIn.findByCookies(tx, cookies));
  // Of two sessions one was planted, by another port of the host or another name of the domain.
  if (!session || others.length > 0) throw signedOut();
  countRequest(rateLimit, session.principal, exchange.headers);
  const shown = await database.write(async (tx) => {
    const { token, expiresAt, principal } = await signIn.renew(tx, session.cookie);
    await tx.join(principal.workspaceId);
    const user = await directory.getUser(tx, principal.workspaceId, principal.userId);
    const renewed = shownSession({ ...principal, expiresAt }, user);
    return { token, ...renewed, idempotency_ttl: idempotencyTtlMs / 1000 };
  });
  send(exchange, shown);
}

/** Also succeeds where no session is left: whoever signs out twice is signed out. */
async function endSession(
  exchange: Exchange,
  { database }: ServerDependencies,
  { keys }: ConsoleServices,
): Promise<void> {
  await readNothing(exchange);
  const cookies = sessionCookiesOf(exchange);
  for (const { cookie } of await database.read((tx) => keys.signIn.findByCookies(tx, cookies)))
    await database.write((tx) => endByCookie(tx, keys, cookie));
  setSessionCookie(exchange, '', 0);
  exchange.send(204, '');
}

async function endByCookie(tx: WriteTransaction, keys: KeysService, cookie: string): Promise<void> {
  const session = await keys.signIn.findByCookie(tx, cookie);
  if (!session) return;
  tx.actAs(session);
  await keys.revokeKey(tx, session.workspaceId, session.keyId);
}

function shownSession<U>({ expiresAt, permissions }: Principal, user: U) {
  return { expires_at: new Date(expiresAt).toISOString(), user, permissions: [...permissions] };
}

function send(exchange: Exchange, data: unknown): void {
  exchange.headers['content-type'] = JSON_TYPE;
  exchange.send(200, envelope(data, exchange.id));
}

const PATH = '/console/session';
/** The value of a cookie of ours: 32 bytes in base64url. */
const COOKIE = /(?:^|;) *(atrium-session-\d{1,5})=([\w-]{43})(?= *(?:;|$))/g;

/** Other ports of the host and other names of the domain can add cookies; a request is looked up with so many. */
const MOST_COOKIES = 4;

/**
 * The values of the session cookies, each once; none where there are too many. A browser sends a cookie to all ports of a
 * host, so the name has the port; behind a balancer a client may know the server by another.
 */
function sessionCookiesOf(exchange: Exchange): string[] {
  const sent = [...(exchange.requestHeaders.cookie ?? '').matchAll(COOKIE)];
  const own = sent.filter(([, name]) => name === nameOf(new URL(originOf(exchange))));
  const values = new Set((own.length > 0 ? own : sent).map(([, , value = '']) => value));
  return values.size > MOST_COOKIES ? [] : [...values];
}

/** Gives the client a session cookie for so many seconds; 0 takes it away. */
function setSessionCookie(exchange: Exchange, value: string, seconds: number): void {
  const here = new URL(originOf(exchange));
  const below = here.pathname === '/' ? '' : here.pathname;
  const attributes = [
    `${nameOf(here)}=${value}`,
    `Path=${below}${PATH}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(here.protocol === 'https:' ? ['Secure'] : []),
  ];
  exchange.headers['set-cookie'] = attributes.join('; ');
}

function nameOf({ protocol, port }: URL): string {
  return `atrium-session-${port || (protocol === 'https:' ? '443' : '80')}`;
}
