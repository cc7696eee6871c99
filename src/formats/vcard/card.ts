/** An e-mail address or a phone number, with its label such as work or home; "" when it has none. */
export interface LabelledValue {
  value: string;
  label: string;
}

/** What this program keeps of a vCard; "" and empty lists where the card says nothing. */
export interface Card {
  uid: string;
  name: string;
  givenName: string;
  familyName: string;
  organization: string;
  title: string;
  notes: string;
  /** The preferred one first. */
  emails: LabelledValue[];
  /** The preferred one first. */
  phones: LabelledValue[];
}

/** A card of a file, or why it cannot be read; `index` counts the cards of the file from 0. */
export type ReadCard = { index: number; card: Card } | { index: number; problem: string };
