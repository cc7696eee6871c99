import { compareTexts, compareValues } from './comparison.ts';
import { numberOfText } from './number-text.ts';
import { CellError, ERROR_CODES, type Scalar } from './values.ts';
import { hasWildcards, wildcardTest } from './wildcards.ts';

export type Criterion = (value: Scalar) => boolean;
type Operator = '=' | '<>' | '<' | '>' | '<=' | '>=';

/** The test that COUNTIF and its kin make of a criterion: a value to equal, or an operator and a value, with wildcards. */
export function criterionOf(wanted: Scalar): Criterion {
  if (typeof wanted !== 'string') return equalTo(wanted ?? 0);
  const [, operator = '', operand = ''] = /^(<>|<=|>=|=|<|>)?(.*)$/s.exec(wanted) ?? [];
  if (operand === '' && operator !== '') return emptiness(operator as Operator);
  const value = operandOf(operand);
  if (operator === '' || operator === '=') return equalTo(value);
  // A text that spells the number equals it, and differs from it all the same.
  if (operator === '<>') return typeof value === 'number' ? (cell) => cell !== value : not(equalTo(value));
  return ordered(operator as Operator, value);
}

/** "=" finds what is empty, "<>" what is not, and no order holds of nothing. */
function emptiness(operator: Operator): Criterion {
  if (operator === '=') return (value) => value === null;
  return operator === '<>' ? (value) => value !== null : () => false;
}

function operandOf(text: string): Exclude<Scalar, null> {
  const upper = text.toUpperCase();
  if (upper === 'TRUE' || upper === 'FALSE') return upper === 'TRUE';
  const code = ERROR_CODES.find((one) => one === upper);
  return code === undefined ? (numberOfText(text) ?? text) : new CellError(code);
}

function equalTo(wanted: Exclude<Scalar, null>): Criterion {
  if (wanted instanceof CellError) return (value) => value instanceof CellError && value.code === wanted.code;
  if (typeof wanted === 'number') return (value) => numeric(value) === wanted;
  if (typeof wanted === 'boolean') return (value) => value === wanted;
  if (wanted === '') return (value) => value === null || value === '';
  if (hasWildcards(wanted)) {
    const test = wildcardTest(wanted);
    return (value) => typeof value === 'string' && test(value);
  }
  return (value) => typeof value === 'string' && compareTexts(value, wanted) === 0;
}

/** A text that spells a number equals that number. */
function numeric(value: Scalar): number | undefined {
  if (typeof value === 'string') return numberOfText(value);
  return typeof value === 'number' ? value : undefined;
}

/** Only values of the operand's own type are in an order with it. */
function ordered(operator: Operator, wanted: Exclude<Scalar, null>): Criterion {
  if (wanted instanceof CellError) return () => false;
  return (value) => {
    if (typeof value !== typeof wanted || value === null || value instanceof CellError) return false;
    const order = compareValues(value, wanted);
    if (operator === '<') return order < 0;
    if (operator === '>') return order > 0;
    return operator === '<=' ? order <= 0 : order >= 0;
  };
}

function not(criterion: Criterion): Criterion {
  return (value) => !criterion(value);
}
