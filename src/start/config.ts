import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { parseEnv } from 'node:util';
import { EMAIL_ADDRESS, isHostName, MAX_EMAIL_ADDRESS } from '../text/email-address.ts';
import { withoutTrailing } from '../text/without-trailing.ts';
import { addressHere } from './address.ts';

/** Every setting, read once at start. */
export interface Config {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** 0 = any free port, undefined = no SMTP. */
  smtpPort: number | undefined;
  /** Maximum number of SMTP connections per address; 0 = unlimited. */
  smtpConnectionsPerAddress: number;
  dataDir: string;
  /** undefined = SQLite in the data directory. */
  databaseUrl: string | undefined;
  /** undefined = files in the data directory. */
  blobs: string | undefined;
  domain: string;
  /** The server for outgoing mail; undefined = no mail leaves. */
  smtpRelay: SmtpRelay | undefined;
  ownerEmail: string;
  ownerKey: string | undefined;
  /** Whether the first start fills the owner's workspace with sample content. */
  welcome: boolean;
  /** Requests per minute and user; 0 = unlimited. */
  rateLimit: number;
  cursorTtlSeconds: number;
  idempotencyTtlSeconds: number;
  /** Seconds that changes stay readable, and cursors of the change feed valid. */
  changesTtlSeconds: number;
  /** Hosts that webhooks may reach by http and at private addresses: names in lower case, and addresses. */
  webhookAllow: ReadonlySet<string>;
  /** Bytes of the largest file that can be uploaded. */
  maxFileSize: number;
  /** Seconds that an upload may take. */
  uploadTtlSeconds: number;
  /** PEM texts. */
  tls: { cert: string; key: string } | undefined;
  /** The file that the certificate was read from. */
  tlsCertificate: string | undefined;
}

/** A mail server that accepts mail for any domain. */
export interface SmtpRelay {
  host: string;
  port: number;
  /** Whether TLS starts with the first byte; otherwise STARTTLS, as soon as the server offers it. */
  secure: boolean;
  auth: { user: string; pass: string } | undefined;
}

/** The address, the key and the data directory for a command that calls a server. */
export interface ClientConfig {
  /** Such as http://127.0.0.1:8080, without a slash at the end. */
  url: string;
  /** Whether the URL follows from the server's own settings instead of ATRIUM_URL. */
  isOwn: boolean;
  /** PEM text: the certificate of the own server, from the settings. */
  certificate: string | undefined;
  key: string | undefined;
  dataDir: string;
}

/** A setting that is invalid or contradicts another; the message is one sentence that names the setting. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Seconds. Longer times could neither be written as dates nor counted to the millisecond. */
const HUNDRED_YEARS = 3_153_600_000;

/** Reads the settings; an empty variable counts as unset. Throws ConfigError. */
export function readConfig(env: Environment = process.env): Config {
  const domain = mailDomain(env);
  const port = integer(env, 'ATRIUM_PORT', 8080, 0, 65_535);
  return {
    host: host(env),
    port,
    smtpPort: smtpPort(env, port),
    smtpConnectionsPerAddress: integer(env, 'ATRIUM_SMTP_CONNECTIONS_PER_ADDRESS', 20, 0),
    dataDir: readDataDir(env),
    databaseUrl: databaseUrl(env),
    blobs: text(env, 'ATRIUM_BLOBS'),
    domain,
    smtpRelay: smtpRelay(env),
    ownerEmail: ownerEmail(env, domain),
    ownerKey: ownerKey(env),
    welcome: welcome(env),
    rateLimit: integer(env, 'ATRIUM_RATE_LIMIT', 0, 0),
    cursorTtlSeconds: integer(env, 'ATRIUM_CURSOR_TTL', 3_600, 1, HUNDRED_YEARS),
    idempotencyTtlSeconds: integer(env, 'ATRIUM_IDEMPOTENCY_TTL', 86_400, 1, HUNDRED_YEARS),
    changesTtlSeconds: integer(env, 'ATRIUM_CHANGES_TTL', 2_592_000, 1, HUNDRED_YEARS),
    webhookAllow: webhookAllow(env),
    maxFileSize: integer(env, 'ATRIUM_MAX_FILE_SIZE', 50 * 1024 ** 3, 1),
    uploadTtlSeconds: integer(env, 'ATRIUM_UPLOAD_TTL', 604_800, 1, HUNDRED_YEARS),
    tls: tls(env),
    tlsCertificate: text(env, 'ATRIUM_TLS_CERT'),
  };
}

/**
 * Reads the settings of another installation from a file, a NAME=value a line. A relative data directory is one beside the
 * file. Credentials of S3 that the environment does not have come from it; it may have no others. Throws ConfigError.
 */
export function readSettingsFile(path: string, environment: NodeJS.ProcessEnv = process.env): Config {
  const env = parseEnv(readSettings(path));
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith('AWS_')) continue;
    if ((environment[name] ?? value) !== value)
      throw new ConfigError(`${name} is another in "${path}" than in the environment, and one serves both.`);
    environment[name] = value;
  }
  if (text(env, 'ATRIUM_DATA_DIR') === undefined)
    throw new ConfigError(
      `"${path}" must set ATRIUM_DATA_DIR, the data directory of the other installation.`,
    );
  const dataDir = resolve(dirname(path), env.ATRIUM_DATA_DIR ?? '');
  return readConfig({ ...env, ATRIUM_DATA_DIR: dataDir });
}

function readSettings(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`The file of settings cannot be read: "${path}".`, { cause });
  }
}

/** Reads the settings of commands that call a server; `given` takes precedence over them. Throws ConfigError. */
export function readClientConfig(given: Environment = {}, settings: Environment = process.env): ClientConfig {
  const env = { ...settings, ...given };
  const named = text(env, 'ATRIUM_URL');
  const certificate = named === undefined ? ownCertificate(env) : undefined;
  const url = named ?? ownAddress(env, certificate);
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new ConfigError(`ATRIUM_URL must be of the form http://host:port or https://host, not "${url}".`);
  }
  return {
    url: withoutTrailing(url, '/'),
    isOwn: named === undefined,
    certificate,
    key: text(env, 'ATRIUM_KEY'),
    dataDir: readDataDir(env),
  };
}

/** The server's address according to its settings. */
function ownAddress(env: Environment, certificate: string | undefined): string {
  const port = integer(env, 'ATRIUM_PORT', 8080, 0, 65_535);
  if (port === 0) {
    throw new ConfigError(
      'ATRIUM_URL must say where the server is: with ATRIUM_PORT 0 only its own words do.',
    );
  }
  return addressHere({
    host: host(env),
    port,
    tls: certificate === undefined ? undefined : { cert: certificate },
  });
}

/** Reads the certificate only: its private key is for the server alone. */
function ownCertificate(env: Environment): string | undefined {
  const path = text(env, 'ATRIUM_TLS_CERT');
  return path === undefined ? undefined : readPem('ATRIUM_TLS_CERT', path);
}

/**
 * The directory of everything that the product writes; the only setting that is needed before the program is loaded.
 */
function readDataDir(env: Environment = process.env): string {
  return resolve(text(env, 'ATRIUM_DATA_DIR') ?? 'data');
}

function text(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}

function integer(
  env: Environment,
  name: string,
  fallback: number,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const given = text(env, name);
  if (given === undefined) return fallback;
  const value = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (!(value >= min && value <= max)) {
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new ConfigError(`${name} must be a whole number ${range}, not "${given}".`);
  }
  return value;
}

function host(env: Environment): string {
  const given = text(env, 'ATRIUM_HOST') ?? '127.0.0.1';
  if (isIP(given) === 0 && !isHostName(given)) {
    throw new ConfigError(`ATRIUM_HOST must be an IP address or a host name, not "${given}".`);
  }
  return given;
}

function smtpPort(env: Environment, httpPort: number): number | undefined {
  const name = 'ATRIUM_SMTP_PORT';
  const given = text(env, name);
  if (given === 'off') return undefined;
  if (given !== undefined && !/^\d{1,5}$/.test(given)) {
    throw new ConfigError(`${name} must be a whole number from 0 to 65535, or off, not "${given}".`);
  }
  const port = integer(env, name, 2525, 0, 65_535);
  if (port === httpPort && port !== 0) {
    throw new ConfigError(`${name} and ATRIUM_PORT must differ, both are ${port}.`);
  }
  return port;
}

function mailDomain(env: Environment): string {
  const given = text(env, 'ATRIUM_DOMAIN') ?? 'localhost';
  if (!isHostName(given)) throw new ConfigError(`ATRIUM_DOMAIN is no domain name: "${given}".`);
  return given;
}

/** A refused value never appears in the message: it may contain a password. */
function smtpRelay(env: Environment): SmtpRelay | undefined {
  const given = text(env, 'ATRIUM_SMTP_RELAY');
  if (given === undefined) return undefined;
  const [, scheme, user, pass, host = '', port] =
    /^(smtps?):\/\/(?:([^:@/]+):([^@/]+)@)?([^:@/?#[\]]+|\[[\da-f:.]+\])(?::(\d{1,5}))?\/?$/i.exec(given) ??
    [];
  const name = host.replace(/^\[|\]$/g, '');
  const secure = scheme?.toLowerCase() === 'smtps';
  // RFC 8314, 3.3 and RFC 6409, 3.1: the submission ports, with implicit TLS and without.
  const number = port === undefined ? (secure ? 465 : 587) : Number(port);
  const credentials = [user, pass].map((part) => part && decoded(part));
  if (
    (isIP(name) === 0 && !isHostName(name)) ||
    number < 1 ||
    number > 65_535 ||
    credentials.includes(null)
  ) {
    throw new ConfigError(
      'ATRIUM_SMTP_RELAY must be of the form smtp(s)://user:password@host:port, with user and password percent-encoded (or left out).',
    );
  }
  const [decodedUser, decodedPass] = credentials;
  const auth = decodedUser && decodedPass ? { user: decodedUser, pass: decodedPass } : undefined;
  return { host: name, port: number, secure, auth };
}

/** Decodes percent-encoding; null where it is invalid. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

function webhookAllow(env: Environment): ReadonlySet<string> {
  const named = (text(env, 'ATRIUM_WEBHOOK_ALLOW') ?? '').split(',').map((host) => host.trim());
  const hosts = named.filter((host) => host !== '').map((host) => host.toLowerCase().replace(/^\[|\]$/g, ''));
  for (const host of hosts) {
    if (isIP(host) !== 0 || isHostName(host)) continue;
    throw new ConfigError(
      `ATRIUM_WEBHOOK_ALLOW must be host names and IP addresses with commas between them, and "${host}" is neither.`,
    );
  }
  return new Set(hosts);
}

function databaseUrl(env: Environment): string | undefined {
  const given = text(env, 'ATRIUM_DATABASE_URL');
  if (given === undefined) return undefined;
  // PostgreSQL permits a URL without a host where a parameter names it; URLs in general do not.
  if (!/^postgres(ql)?:\/\//.test(given) || !URL.canParse(given.replace('@/', '@localhost/'))) {
    const form = 'postgres://user:password@host:port/database';
    throw new ConfigError(`ATRIUM_DATABASE_URL must be of the form ${form} (leave it unset for SQLite).`);
  }
  return given;
}

function ownerEmail(env: Environment, domain: string): string {
  const email = text(env, 'ATRIUM_OWNER_EMAIL') ?? `owner@${domain}`;
  if (email.length > MAX_EMAIL_ADDRESS || !new RegExp(EMAIL_ADDRESS, 'u').test(email))
    throw new ConfigError(`ATRIUM_OWNER_EMAIL is no e-mail address: "${email}".`);
  return email;
}

function ownerKey(env: Environment): string | undefined {
  const key = text(env, 'ATRIUM_OWNER_KEY');
  if (key !== undefined && !/^[\x21-\x7e]{20,200}$/.test(key)) {
    throw new ConfigError('ATRIUM_OWNER_KEY must be 20 to 200 visible ASCII characters.');
  }
  return key;
}

/**
 * The welcome is off by default where a key is given: then a script starts the server, and expects only its own data.
 */
function welcome(env: Environment): boolean {
  const given = text(env, 'ATRIUM_WELCOME') ?? (text(env, 'ATRIUM_OWNER_KEY') === undefined ? 'on' : 'off');
  if (given !== 'on' && given !== 'off') {
    throw new ConfigError(`ATRIUM_WELCOME must be on or off, not "${given}".`);
  }
  return given === 'on';
}

function tls(env: Environment): Config['tls'] {
  const [cert, key] = [text(env, 'ATRIUM_TLS_CERT'), text(env, 'ATRIUM_TLS_KEY')];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new ConfigError('ATRIUM_TLS_CERT and ATRIUM_TLS_KEY must be set together.');
  }
  const pems = { cert: readPem('ATRIUM_TLS_CERT', cert), key: readPem('ATRIUM_TLS_KEY', key) };
  refuseUnusable(pems);
  return pems;
}

function refuseUnusable(pems: { cert: string; key: string }): void {
  try {
    createSecureContext(pems);
  } catch (cause) {
    const message =
      'ATRIUM_TLS_CERT and ATRIUM_TLS_KEY must name a certificate and its own key, both as PEM.';
    throw new ConfigError(message, { cause });
  }
}

function readPem(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`${name} names a file that cannot be read: "${path}".`, { cause });
  }
}
