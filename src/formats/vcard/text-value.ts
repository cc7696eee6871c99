/** RFC 6350, 3.4 and 4: text as it stands in a value, line breaks being "\n". */
export function escapeText(text: string): string {
  return text.replace(/[\\,;]/g, '\\$&').replaceAll('\n', '\\n');
}

/** The text that a value stands for. A backslash before anything that is never escaped is a backslash. */
export function unescapeText(value: string): string {
  return value
    .replace(/\r\n?/g, '\n')
    .replace(/\\([\\,;:nN])/g, (_, escaped: string) => (escaped.toLowerCase() === 'n' ? '\n' : escaped));
}

/** The parts of a structured value such as N and ORG, unescaped. */
export function components(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let i = 0; i < value.length; i++) {
    if (value[i] === '\\') i++;
    else if (value[i] === ';') {
      parts.push(value.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, value.slice(start)].map(unescapeText);
}
