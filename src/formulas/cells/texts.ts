/** The texts of cells, by numbers; those given back are given out again. */
export class Texts {
  readonly #texts: string[] = [];
  readonly #free: number[] = [];
  /** All characters that are kept. */
  characters = 0;

  get count(): number {
    return this.#texts.length;
  }

  add(text: string): number {
    this.characters += text.length;
    const at = this.#free.pop() ?? this.#texts.length;
    this.#texts[at] = text;
    return at;
  }

  get(at: number): string {
    return this.#texts[at] ?? '';
  }

  remove(at: number): void {
    this.characters -= this.get(at).length;
    this.#texts[at] = '';
    this.#free.push(at);
  }
}
