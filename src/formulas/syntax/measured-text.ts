/** Characters that may be looked at for each of the text: formulas that mean something need fewer than ten. */
const LOOKS_A_CHARACTER = 16;

/** Thrown by a text that was looked at too often. */
export class TooManyLooks extends Error {}

/**
 * A text that counts how often a character of it is looked at. A reader that begins anew at each place and searches to the
 * end comes to a stop with it, so that it takes linear time whatever the text is.
 */
export class MeasuredText extends String {
  // Private names of a class that extends a built-in one cost several times as much for each character.
  private readonly text: string;
  private left: number;

  constructor(text: string) {
    super(text);
    this.text = text;
    this.left = text.length * LOOKS_A_CHARACTER;
  }

  override charCodeAt(place: number): number {
    if (--this.left < 0) throw new TooManyLooks('the text was looked at too often');
    return this.text.charCodeAt(place);
  }
}
