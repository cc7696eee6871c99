interface FlowedLine {
  quotes: number;
  text: string;
}

/**
 * RFC 3676 text as a person reads it: paragraphs that were broken into lines ending in a space are whole
 * again, at each depth of quoting. `delSp` tells that the space at such an end is no part of the text.
 */
export function unflow(text: string, delSp: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let quotes = 0;
  const flush = () => {
    if (paragraph.length > 0) out.push(quoted(quotes, paragraph.join('')));
    paragraph = [];
  };
  for (const line of text.split('\n').map(readLine)) {
    // 4.5: a change of quote depth ends a paragraph; 4.3: the signature separator stands alone.
    if (line.quotes !== quotes || line.text === '-- ') flush();
    quotes = line.quotes;
    const soft = line.text.endsWith(' ') && line.text !== '-- ';
    paragraph.push(soft && delSp ? line.text.slice(0, -1) : line.text);
    if (!soft) flush();
  }
  flush();
  return out.join('\n');
}

function readLine(line: string): FlowedLine {
  let quotes = 0;
  while (line[quotes] === '>') quotes++;
  const rest = line.slice(quotes);
  // 4.4: one leading space is stuffing.
  return { quotes, text: rest.startsWith(' ') ? rest.slice(1) : rest };
}

function quoted(quotes: number, text: string): string {
  if (quotes === 0) return text;
  return text === '' ? '>'.repeat(quotes) : `${'>'.repeat(quotes)} ${text}`;
}
