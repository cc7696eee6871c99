import { useSyncExternalStore } from 'react';
import { forgetShell } from './kept-shell.ts';
import { type Refusal, refusalText } from './refusals.ts';

/** The user of a session, as the API describes users. */
export interface SessionUser {
  id: string;
  email: string;
  name: string;
}

export type SessionState =
  | { phase: 'starting' }
  | { phase: 'signed out'; reason?: string }
  | { phase: 'unreachable' }
  /** The address has a code, and somebody is signed in here already: a link from a stranger could sign into their account. */
  | { phase: 'asking'; user: SessionUser; code: string }
  | { phase: 'signed in'; user: SessionUser; permissions: readonly string[] };

interface Token {
  token: string;
  /** By the clock of this machine. */
  renewAt: number;
}

interface TokenAnswer {
  token: string;
  expires_at: string;
  user: SessionUser;
  permissions: string[];
  /** In seconds. */
  idempotency_ttl: number;
}

/** A token is renewed this long before it ends. */
const RENEWED_BEFORE_MS = 120_000;

/**
 * The session of this browser: the cookie that the server sets, and the token that it gives for it, which only this page keeps
 * and only in memory (docs/spec/sign-in.md).
 */
class Session {
  #state: SessionState = { phase: 'starting' };
  #token: Token | undefined;
  #renewing: Promise<Token> | undefined;
  /** Whose page this is. Its data, texts and waiting writes are theirs. */
  #ownerId: string | undefined;
  #idempotencyTtlMs = 0;
  readonly #tabs = new BroadcastChannel('atrium-session');
  readonly #listeners = new Set<() => void>();
  #linkCode: string | undefined;
  /** A code whose request has reached no server yet. */
  #unsentCode: string | undefined;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /** Whose page this is, once somebody has signed in: also after that session has ended. */
  get ownerId(): string | undefined {
    return this.#ownerId;
  }

  /** How long the server keeps the answer under an Idempotency-Key, as it has said with the token. */
  get idempotencyTtlMs(): number {
    return this.#idempotencyTtlMs;
  }

  /** The code of a link that was opened in this tab while somebody was signed in: the page asks before it follows it. */
  readonly linkCode = (): string | undefined => this.#linkCode;

  constructor() {
    this.#tabs.onmessage = () => this.lose();
  }

  /** Opens the page: by a code in the address, or with the session that the browser has; asks where there are both. */
  async start(): Promise<void> {
    const code = takeCode() ?? this.#unsentCode;
    // A page that tries again stays as it is meanwhile.
    if (this.#state.phase !== 'unreachable') this.#set({ phase: 'starting' });
    try {
      await this.#resume(code);
      this.#unsentCode = undefined;
    } catch (error) {
      this.#unsentCode = error instanceof Refused ? undefined : code;
      if (!(error instanceof Refused)) this.#set({ phase: 'unreachable' });
      else this.#set({ phase: 'signed out', ...(code !== undefined && { reason: error.message }) });
    }
  }

  /** The address of this tab has changed: where it has a code now, it signs in as a link does that opens a new tab. */
  async followLink(): Promise<void> {
    if (codeInAddress() === undefined) return;
    if (this.#state.phase !== 'signed in') return this.start();
    this.#askAbout(takeCode());
  }

  /** Leaves the link of linkCode alone. */
  leaveLink(): void {
    this.#askAbout(undefined);
  }

  /** Ends the session of this tab, and opens that of the code in a page of its own: nothing of this page is theirs. */
  async replaceByLink(code: string): Promise<void> {
    this.#askAbout(undefined);
    try {
      await request('DELETE', '/console/session', {});
      await post('/console/session', { code });
      location.replace('/');
    } catch (error) {
      if (error instanceof Refused) this.lose(error.message);
      else this.#set({ phase: 'unreachable' });
    }
  }

  #askAbout(code: string | undefined): void {
    this.#linkCode = code;
    for (const listener of this.#listeners) listener();
  }

  async #resume(code: string | undefined): Promise<void> {
    if (code === undefined) return void (await this.#renew());
    const user = await currentUser();
    if (user) return this.#set({ phase: 'asking', user, code });
    await this.signIn({ code });
  }

  /** Goes on as the user who was signed in before a link with a code was opened. */
  async stay(): Promise<void> {
    await this.#renew();
  }

  /** Ends the session that the browser has, and opens that of the code in the address. */
  async replace(code: string): Promise<void> {
    try {
      await request('DELETE', '/console/session', {});
      await this.signIn({ code });
    } catch (error) {
      if (!(error instanceof Refused)) this.#set({ phase: 'unreachable' });
      else this.#set({ phase: 'signed out', reason: error.message });
    }
  }

  /** Opens a session by a code or a key that a person has entered. Rejects with the server's reason. */
  async signIn(credential: { code: string } | { key: string }): Promise<void> {
    await post('/console/session', credential);
    await this.#renew();
  }

  /** Ends the session and its tokens at once, also in other tabs. */
  async signOut(): Promise<void> {
    await request('DELETE', '/console/session', {});
    this.#tabs.postMessage('signed out');
    await forgetShell().catch(() => undefined);
    this.lose();
  }

  /** The server has refused the token: the session was ended somewhere else. An answer that comes later, when the page has gone on, ends nothing. */
  lose(reason?: string): void {
    this.#token = undefined;
    if (this.#state.phase !== 'signed in') return;
    this.#set({ phase: 'signed out', ...(reason !== undefined && { reason }) });
  }

  /** A token that is good for the next request. Rejects where the server gives none. */
  readonly token = async (): Promise<string> => {
    if (this.#token && Date.now() < this.#token.renewAt) return this.#token.token;
    try {
      return (await this.#renew()).token;
    } catch (error) {
      if (error instanceof Refused) this.lose();
      throw error;
    }
  };

  /** Requests at the same time wait for one renewal. */
  #renew(): Promise<Token> {
    this.#renewing ??= this.#fetchToken().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #fetchToken(): Promise<Token> {
    const asked = Date.now();
    const { data, serverTime } = await post<TokenAnswer>('/console/session/token', {});
    this.#ownerId ??= data.user.id;
    if (this.#ownerId !== data.user.id) {
      // Another tab has signed in as somebody else: nothing of this page may be done in their name.
      location.replace('/');
      throw new Refused('Somebody else has signed in.');
    }
    const lasts = Date.parse(data.expires_at) - serverTime;
    const token = { token: data.token, renewAt: asked + lasts - RENEWED_BEFORE_MS };
    this.#token = token;
    this.#idempotencyTtlMs = data.idempotency_ttl * 1000;
    this.#set({ phase: 'signed in', user: pickUser(data.user), permissions: data.permissions });
    return token;
  }

  #set(state: SessionState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

export const session = new Session();

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.state);
}

/** The code of a link that the person has opened in this tab, beside their session. */
export function useLinkCode(): string | undefined {
  return useSyncExternalStore(session.subscribe, session.linkCode);
}

/** The user who is signed in; only pages behind the sign-in call it. */
export function useUser(): SessionUser {
  const state = useSession();
  if (state.phase !== 'signed in') throw new Error('Nobody is signed in');
  return state.user;
}

export function usePermission(permission: string): boolean {
  const state = useSession();
  return state.phase === 'signed in' && state.permissions.includes(permission);
}

/** The server has answered, and said no. */
export class Refused extends Error {}

/** Whose session the browser has, if any. */
async function currentUser(): Promise<SessionUser | undefined> {
  try {
    const { data } = await post<TokenAnswer>('/console/session/token', {});
    return pickUser(data.user);
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

function pickUser({ id, email, name }: SessionUser): SessionUser {
  return { id, email, name };
}

/** The code of `#sign-in=…`. */
function codeInAddress(): string | undefined {
  return /^#sign-in=([\w-]+)$/.exec(location.hash)?.[1];
}

/** The code in the address, which it leaves at once, as it leaves the history. */
function takeCode(): string | undefined {
  const code = codeInAddress();
  if (code !== undefined) history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}

function post<T>(path: string, body: object): Promise<{ data: T; serverTime: number }> {
  return request('POST', path, body);
}

async function request<T>(
  method: string,
  path: string,
  body: object,
): Promise<{ data: T; serverTime: number }> {
  const answer = await fetch(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'same-origin',
  });
  const text = await answer.text();
  // A proxy answers for a server that is away.
  if (answer.status >= 500 || answer.status === 429) throw new Error(`The server answered ${answer.status}`);
  const { data, error } = (text === '' ? {} : JSON.parse(text)) as { data: T; error?: Refusal };
  if (!answer.ok) throw new Refused(error ? refusalText(error) : `The server answered ${answer.status}.`);
  return { data, serverTime: Date.parse(answer.headers.get('date') ?? '') || Date.now() };
}
