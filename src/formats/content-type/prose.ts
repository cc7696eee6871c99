import { isPlainText } from './text-types.ts';

/** As far as libmagic's rules for texts look, with two exceptions, and these need what is among the signs. */
const LOOKED_AT = 8192;

/** Markup, programs, scripts and macros: libmagic has no rule for a text without these that would count here, but at its beginning. */
const SIGNS = /[<#@\\{}=]/;

/** Where a text without those signs may have a signature all the same: mail, news, patches, pictures, subtitles, troff. */
const BEGINNINGS =
  /^\uFEFF?\s*(?:[.'"%[*]|[\w-]+:|P[1-3]\b|WEBVTT|0 HEAD|1[\r\n]|diff |Only in |Common sub|Forward to|Pipe to)/;

/** Whether these are the first bytes of a text that none of libmagic's rules for texts would tell more of. */
export function isProse(head: Uint8Array): boolean {
  if (!isPlainText(head)) return false;
  const text = Buffer.from(head.subarray(0, LOOKED_AT)).toString();
  return !SIGNS.test(text) && !BEGINNINGS.test(text);
}
