const LINKS = new Set(['http:', 'https:', 'mailto:', 'tel:', 'ftp:']);
const IMAGES = new Set(['http:', 'https:']);
const RASTER = /^data:image\/(?:png|jpe?g|gif|webp|bmp);base64,[a-z0-9+/=\s]*$/i;
const CONTENT_ID = /^cid:[\w!#$%&'*+/=?^`{|}~.@:<>()[\],;-]+$/i;

/** The address of a link when it may be followed, else "". Relative ones would lead into the page around it. */
export function safeLink(url: string): string {
  return withProtocol(url, LINKS);
}

/** The address of an image when it may be shown, else "": on the web, a part of the message, raster data. */
export function safeImage(url: string): string {
  const trimmed = url.trim();
  if (CONTENT_ID.test(trimmed) || RASTER.test(trimmed)) return trimmed;
  return withProtocol(trimmed, IMAGES);
}

/** Compared and given back as the URL Standard reads it, so that a browser cannot read it differently. */
function withProtocol(url: string, allowed: Set<string>): string {
  const absolute = /^\s*\/\//.test(url) ? `https:${url.trim()}` : url;
  const parsed = URL.parse(absolute);
  return parsed && allowed.has(parsed.protocol) ? parsed.href : '';
}
