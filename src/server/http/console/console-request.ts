import type { IncomingHttpHeaders } from 'node:http';
import type { TObject } from 'typebox';
import { ApiError } from '../../../contract/errors.ts';
import { parseJson } from '../../../contract/json.ts';
import { unstorableText } from '../../../contract/storable-text.ts';
import { refuse, SchemaCheck } from '../../../contract/validation.ts';
import { checkAnnouncedSize, checkMediaType, readBody } from '../body.ts';
import type { Exchange } from '../exchange.ts';
import { originOf } from '../origin.ts';

/**
 * Throws ApiError foreign_site unless the request says that it comes from a page of this server: by Sec-Fetch-Site,
 * which no page can write, or where a client does not send that, by Origin.
 */
export function refuseForeignSite(exchange: Exchange): void {
  if (!comesFromHere(exchange)) throw foreignSite();
}

/** As refuseForeignSite, but lets a program pass that says nothing: it brings a key that no browser adds by itself. */
export function refuseKnownForeignSite(exchange: Exchange): void {
  const { 'sec-fetch-site': site, origin }: IncomingHttpHeaders = exchange.requestHeaders;
  if ((site !== undefined || origin !== undefined) && !comesFromHere(exchange)) throw foreignSite();
}

function comesFromHere(exchange: Exchange): boolean {
  const { 'sec-fetch-site': site, origin }: IncomingHttpHeaders = exchange.requestHeaders;
  return site === undefined ? origin === new URL(originOf(exchange)).origin : site === 'same-origin';
}

function foreignSite(): ApiError {
  const message =
    'Send the request from a page of this server, with Sec-Fetch-Site: same-origin, or with its Origin.';
  return new ApiError('foreign_site', message);
}

/** Bytes: more than the longest path that a server takes. */
const MAX_BODY = 64 * 1024;

/**
 * Throws ApiError unsupported_media_type for anything but JSON, even without a body: a form or a script of a foreign
 * page cannot send this type without asking first.
 */
export function requireJsonType({ requestHeaders: headers }: Exchange): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'application/json') {
    const expected = 'application/json';
    throw new ApiError('unsupported_media_type', `Send Content-Type: ${expected}.`, { expected });
  }
  checkMediaType(headers, 'application/json');
  checkAnnouncedSize(headers, MAX_BODY);
}

/** Reads bodies that fit a schema. Rejects with ApiError invalid_json, payload_too_large or validation_failed. */
export function bodyReader<T>(schema: TObject): (exchange: Exchange) => Promise<T> {
  const check = new SchemaCheck(schema);
  return async (exchange) => {
    exchange.askForBody();
    const bytes = await readBody(exchange.request, MAX_BODY);
    const body = bytes.length === 0 ? {} : parseJson(bytes);
    refuse([...check.violations(body), ...unstorableText(body)]);
    return body as T;
  };
}
