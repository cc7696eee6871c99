/** Inline elements: they do not separate the words around them. All other elements (blocks, cells) do. */
const INLINE =
  /<\/?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)(?:[\s/][^<>]*)?>/g;
const OTHER = /<[^<>]*>/g;

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/**
 * The text of sanitized HTML on one line without tags, so that a phrase matches whatever its line breaks and markup.
 */
export function withoutTags(sanitized: string): string {
  return sanitized
    .replace(INLINE, '')
    .replace(OTHER, ' ')
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
