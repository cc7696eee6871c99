/**
 * Removes RFC 5322 comments (nested, not within quoted strings); one that never closes runs to the end.
 * Each leaves a space.
 */
export function stripComments(text: string): string {
  if (!text.includes('(')) return text;
  let out = '';
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\\' && (quoted || depth > 0)) {
      if (depth === 0) out += text.slice(i, i + 2);
      i++;
    } else if (depth === 0 && char === '"') {
      quoted = !quoted;
      out += char;
    } else if (!quoted && char === '(') {
      depth++;
    } else if (depth > 0) {
      if (char === ')' && --depth === 0) out += ' ';
    } else {
      out += char;
    }
  }
  return out;
}
