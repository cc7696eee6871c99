import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A figure that was measured, with what measured it and when. */
export interface MeasuredFigure {
  readonly value: number;
  readonly unit: string;
  readonly says: string;
  readonly origin: string;
}

const KINDS = ['message', 'file', 'contact', 'event'] as const;

/** The kinds of objects whose bytes were measured. */
export type Kind = (typeof KINDS)[number];

type Name =
  | 'nodeMs'
  | 'databaseMs'
  | 'coordinatorMs'
  | 'workersMs'
  | 'deliveryMs'
  | 'indexMs'
  | 'shardQuestionMs'
  | 'requestMs'
  | 'questionsPerSecond'
  | 'bytesOfAnswer'
  | 'bytesOfChange'
  | `rowsOf${Capitalize<Kind>}`
  | `indexesOf${Capitalize<Kind>}`;

/** All of figures.json, by name. */
export type Figures = Readonly<Record<Name, MeasuredFigure>>;

export const FIGURES: Figures = JSON.parse(readFileSync(join(import.meta.dirname, 'figures.json'), 'utf8'));

/** Bytes of rows and of indexes of an object. */
export function bytesOf(figures: Figures, kind: Kind): number {
  const name = `${kind[0]?.toUpperCase()}${kind.slice(1)}` as Capitalize<Kind>;
  return figures[`rowsOf${name}`].value + figures[`indexesOf${name}`].value;
}
