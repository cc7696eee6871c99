/** Excel's longest format code, in UTF-16 units. */
export const MAX_CODE = 255;

/** A token of a format code. */
export type Token =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'digit'; readonly text: '0' | '#' | '?' }
  | { readonly kind: 'exponent'; readonly text: string; readonly plus: boolean }
  | { readonly kind: 'denominator'; readonly text: string }
  | { readonly kind: 'elapsed'; readonly text: string }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'half'; readonly text: string }
  | { readonly kind: 'point' | 'comma' | 'percent' | 'slash' | 'general' | 'text' };

export interface Condition {
  readonly operator: string;
  readonly operand: number;
}

/** A section of a format code, separated by semicolons. */
export interface Section {
  readonly tokens: readonly Token[];
  readonly condition?: Condition;
}

/** The forms of tokens; the first match counts. Colours, scripts and locales in brackets are dropped. */
const PIECES: readonly [form: RegExp, make: (match: RegExpExecArray) => Token | Condition | undefined][] = [
  [/"([^"]*)"?/y, ([, text = '']) => literal(text)],
  [/\\(.?)/suy, ([, text = '']) => literal(text)],
  [/_./suy, () => literal(' ')],
  [/\*./suy, () => undefined],
  [/\[(h+|m+|s+)\]/iy, ([, text = '']) => ({ kind: 'elapsed', text: text.toLowerCase() })],
  [
    /\[(<=|>=|<>|<|>|=)\s*(-?[\d.]+(?:E[+-]?\d+)?)\]/iy,
    ([, operator = '', operand]) => ({ operator, operand: Number(operand) }),
  ],
  [/\[\$([^[\]-]*)(?:-[^[\]]*)?\]/y, ([, text = '']) => literal(text)],
  [/\[[^[\]]*\]/y, () => undefined],
  [/General/iy, () => ({ kind: 'general' })],
  [/AM\/PM|A\/P/iy, ([text]) => ({ kind: 'half', text })],
  [/(E)([+-])/iy, ([, text = '', sign]) => ({ kind: 'exponent', text, plus: sign === '+' })],
  [/y+|m+|d+|h+|s+|e+|b+|g+/iy, ([text]) => ({ kind: 'date', text: text.toLowerCase() })],
  [/\/ ?(0*[1-9]\d*)/y, ([, text = '']) => ({ kind: 'denominator', text })],
  [/[0#?]/y, ([text]) => ({ kind: 'digit', text: text as '0' | '#' | '?' })],
  [/\./y, () => ({ kind: 'point' })],
  [/,/y, () => ({ kind: 'comma' })],
  [/%/y, () => ({ kind: 'percent' })],
  [/\//y, () => ({ kind: 'slash' })],
  [/@/y, () => ({ kind: 'text' })],
  [/./suy, ([text]) => literal(text)],
];

function literal(text: string): Token {
  return { kind: 'literal', text };
}

/** The sections of a format code. */
export function parseFormat(code: string): Section[] {
  const sections: Section[] = [];
  let tokens: Token[] = [];
  let condition: Condition | undefined;
  const end = (): void => {
    sections.push(condition ? { tokens, condition } : { tokens });
    tokens = [];
    condition = undefined;
  };
  for (let at = 0; at < code.length; ) {
    if (code[at] === ';') {
      end();
      at++;
      continue;
    }
    const { piece, next } = pieceAt(code, at);
    if (piece && 'kind' in piece) tokens.push(piece);
    else condition ??= piece;
    at = next;
  }
  end();
  return sections;
}

function pieceAt(code: string, at: number): { piece: Token | Condition | undefined; next: number } {
  for (const [form, make] of PIECES) {
    form.lastIndex = at;
    const match = form.exec(code);
    if (match && match[0] !== '') return { piece: make(match), next: at + match[0].length };
  }
  return { piece: undefined, next: at + 1 };
}
