/** The letters of a column: A of 0, XFD of 16,383. */
export function columnName(column: number): string {
  let name = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/** The column of letters, in any case. */
export function columnOf(name: string): number {
  let column = 0;
  for (const letter of name.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}
