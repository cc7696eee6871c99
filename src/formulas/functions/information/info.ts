import { ERROR, type Scalar } from '../../values.ts';
import { define } from '../define.ts';

/** What INFO tells of where it runs: of the program that it is compatible with, and nothing of the server. */
const FACTS: Readonly<Record<string, Scalar>> = {
  directory: '/',
  numfile: 1,
  origin: '$A:$A$1',
  osversion: 'Windows (32-bit) NT 10.00',
  recalc: 'Automatic',
  release: '16.0',
  system: 'pcdos',
};

export const INFO = define('INFO', ['text'], ([wanted]) => {
  return FACTS[wanted.toLowerCase()] ?? ERROR['#VALUE!'];
});
