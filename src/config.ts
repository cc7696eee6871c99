import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { domainToASCII } from 'node:url';
import { EMAIL_ADDRESS, MAX_EMAIL_ADDRESS } from './text/email-address.ts';

/** Every setting, read once at start. */
export interface Config {
  host: string;
  /** 0 = any free port. */
  port: number;
  dataDir: string;
  /** undefined = SQLite in the data directory. */
  databaseUrl: string | undefined;
  /** undefined = files in the data directory. */
  blobs: string | undefined;
  domain: string;
  ownerEmail: string;
  ownerKey: string | undefined;
  /** Requests a minute and key; 0 = none. */
  rateLimit: number;
  cursorTtlSeconds: number;
  idempotencyTtlSeconds: number;
  /** Bytes of the largest file that can be uploaded. */
  maxFileSize: number;
  /** Seconds that an upload may take from its start. */
  uploadTtlSeconds: number;
  /** PEM texts. */
  tls: { cert: string; key: string } | undefined;
}

/** Where a command finds a server, and as whom. */
export interface ClientConfig {
  /** Such as http://127.0.0.1:8080, without a slash at the end. */
  url: string;
  key: string | undefined;
  dataDir: string;
}

/** A setting that is wrong or contradicts another; the message is one sentence that names it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Seconds. Times beyond could not be written as dates. */
const HUNDRED_YEARS = 3_153_600_000;

/** Reads the settings; an empty variable counts as unset. Throws ConfigError. */
export function readConfig(env: Environment = process.env): Config {
  const domain = mailDomain(env);
  return {
    host: host(env),
    port: integer(env, 'ATRIUM_PORT', 8080, 0, 65_535),
    dataDir: readDataDir(env),
    databaseUrl: databaseUrl(env),
    blobs: text(env, 'ATRIUM_BLOBS'),
    domain,
    ownerEmail: ownerEmail(env, domain),
    ownerKey: ownerKey(env),
    rateLimit: integer(env, 'ATRIUM_RATE_LIMIT', 0, 0),
    cursorTtlSeconds: integer(env, 'ATRIUM_CURSOR_TTL', 3_600, 1),
    idempotencyTtlSeconds: integer(env, 'ATRIUM_IDEMPOTENCY_TTL', 86_400, 1),
    maxFileSize: integer(env, 'ATRIUM_MAX_FILE_SIZE', 50 * 1024 ** 3, 1),
    uploadTtlSeconds: integer(env, 'ATRIUM_UPLOAD_TTL', 604_800, 1, HUNDRED_YEARS),
    tls: tls(env),
  };
}

/** Reads the settings of commands that speak to a server; what was given goes before them. Throws ConfigError. */
export function readClientConfig(given: Environment = {}, settings: Environment = process.env): ClientConfig {
  const env = { ...settings, ...given };
  const url = text(env, 'ATRIUM_URL') ?? 'http://127.0.0.1:8080';
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new ConfigError(`ATRIUM_URL must be of the form http://host:port or https://host, not "${url}".`);
  }
  return { url: url.replace(/\/+$/, ''), key: text(env, 'ATRIUM_KEY'), dataDir: readDataDir(env) };
}

/** Where everything is that the product writes; the one setting that is needed before the program is loaded. */
export function readDataDir(env: Environment = process.env): string {
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

function mailDomain(env: Environment): string {
  const given = text(env, 'ATRIUM_DOMAIN') ?? 'localhost';
  if (!isHostName(given)) throw new ConfigError(`ATRIUM_DOMAIN is no domain name: "${given}".`);
  return given;
}

/** Labels of letters, digits and hyphens (RFC 1123, 2.1); other scripts by their ASCII form. */
function isHostName(name: string): boolean {
  const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
  return !name.includes('/') && new RegExp(`^${label}(\\.${label})*$`, 'i').test(domainToASCII(name));
}

function databaseUrl(env: Environment): string | undefined {
  const given = text(env, 'ATRIUM_DATABASE_URL');
  if (given === undefined) return undefined;
  // PostgreSQL lets the host be left out where a parameter names it, URLs in general do not.
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
