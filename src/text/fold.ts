/**
 * Full Unicode case folding after NFKC, for comparisons without regard to case: "ß" equals "ss", "ς" equals "σ".
 * Upper-casing applies the full (one to many) mappings, lower-casing then joins the cases again; the capital "ẞ" is
 * upper case already and needs lower-casing before; the dotless "ı" folds to itself, though its capital is that of "i";
 * the final sigma that lower-casing chooses by context is the one letter left to join by hand.
 */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^ı]+/g, (run) => run.toUpperCase())
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKC');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII, of which lower-casing is the whole folding
const ASCII = /^[\u0000-\u007f]*$/;
