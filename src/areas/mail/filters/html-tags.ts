/** Elements that do not part the words around them; each other one does, as a line of its own or a cell. */
const INLINE =
  /<\/?(?:a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr)(?:[\s/][^<>]*)?>/g;
const OTHER = /<[^<>]*>/g;

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The text of sanitized HTML on one line, without its tags: a phrase is met however its source is broken and marked up. */
export function withoutTags(sanitized: string): string {
  return sanitized
    .replace(INLINE, '')
    .replace(OTHER, ' ')
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim();
}
