/** A formula in OpenFormula, as LibreOffice stores it, in the syntax of Excel. */
export function fromOpenFormula(formula: string): string {
  const text = formula.replace(/^(?:of|msoxl|oooc):/, '');
  let braces = 0;
  return text.replace(
    /"(?:[^"]|"")*"|\[(?:'(?:[^']|'')*'|[^\]'])*\]|[{}|;~!]|[A-Za-z_.]+(?=\()/g,
    (piece) => {
      if (piece.startsWith('"')) return piece;
      if (piece.startsWith('[')) return reference(piece.slice(1, -1));
      if (piece === '{') braces++;
      if (piece === '}') braces--;
      return SEPARATORS[braces > 0 ? `in ${piece}` : piece] ?? functionName(piece);
    },
  );
}

const SEPARATORS: Readonly<Record<string, string>> = {
  '{': '{',
  'in {': '{',
  '}': '}',
  ';': ',',
  'in ;': ',',
  'in |': ';',
  '~': ',',
  '!': ' ',
};

function functionName(name: string): string {
  return OTHERWISE_IN_EXCEL[name] ?? name.replace(/^(?:COM\.MICROSOFT|LEGACY)\./, '');
}

/** Functions of OpenFormula that Excel has under another name, and another function under theirs. */
const OTHERWISE_IN_EXCEL: Readonly<Record<string, string>> = {
  FDIST: 'F.DIST',
  FINV: 'F.INV',
  FLOOR: 'FLOOR.MATH',
};

function reference(text: string): string {
  const [first = '', ...rest] = text.split(/:(?=[.$A-Z'#])/);
  return [first, ...rest].map((corner, at) => cornerOf(corner, at > 0)).join(':');
}

function cornerOf(corner: string, second: boolean): string {
  const [, sheet = '', cell = corner] = /^\$?((?:'(?:[^']|'')*')|[^.']*)?\.(.*)$/.exec(corner) ?? [];
  return sheet === '' || second ? cell : `${sheet}!${cell}`;
}
