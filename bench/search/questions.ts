/** A question as Atrium and as notmuch take it. */
export interface Question {
  readonly name: string;
  readonly atrium: (variant: number) => string;
  readonly notmuch: (variant: number) => string;
}

/** What is asked; a variant asks for other words, as frequent as those of the next. */
export const QUESTIONS: readonly Question[] = [
  { name: 'a word that few have', ...same((variant) => `few${variant * 7}`) },
  { name: 'a word that half have', ...same((variant) => `half${variant}`) },
  { name: 'two words that half have', ...same((variant) => `half${variant} half${(variant + 1) % 20}`) },
  { name: 'a phrase', ...same((variant) => `"plan${variant} review${variant}"`) },
  { name: 'a beginning', ...same((variant) => `few${variant + 10}*`) },
  {
    name: 'a sender with a word',
    ...same((variant) => `from:sender${variant * 20}@example.org half${variant}`),
  },
  {
    name: 'a word in a month',
    atrium: (variant) =>
      `half${variant} after:${2017 + (variant % 8)}-03-01 before:${2017 + (variant % 8)}-04-01`,
    notmuch: (variant) => `half${variant} date:${2017 + (variant % 8)}-03-01..${2017 + (variant % 8)}-03-31`,
  },
  {
    name: 'a word that half have, without another',
    ...same((variant) => `half${variant} -half${(variant + 1) % 20}`),
  },
  { name: 'a word that nobody has', ...same((variant) => `nobody${variant}`) },
];

function same(question: (variant: number) => string): Pick<Question, 'atrium' | 'notmuch'> {
  return { atrium: question, notmuch: question };
}
