import { ERROR, type NumericResult } from '../../values.ts';
import { paper, type Term } from './bond-function.ts';
import { yearsBetween } from './day-basis.ts';

const NUM = ERROR['#NUM!'];

const years = ({ settlement, maturity, basis }: Term) => yearsBetween(settlement, maturity, basis);

/** #NUM! unless all numbers are above 0. */
function ofPositive(compute: (term: Term, ...given: number[]) => NumericResult) {
  return (term: Term, ...given: number[]): NumericResult =>
    given.every((number) => number > 0) ? compute(term, ...given) : NUM;
}

/** The parts of a year of a paper that pays at its end, from its issue on. */
function fromIssue({ settlement, maturity, basis }: Term, issue: number) {
  const day = Math.trunc(issue);
  return {
    whole: yearsBetween(day, maturity, basis),
    passed: yearsBetween(day, settlement, basis),
    ahead: yearsBetween(settlement, maturity, basis),
  };
}

function priceAtMaturity(term: Term, issue = 0, rate = 0, yielded = 0): NumericResult {
  if (rate < 0 || yielded < 0 || issue < 0 || issue > term.settlement) return NUM;
  const { whole, passed, ahead } = fromIssue(term, issue);
  return (100 * (1 + whole * rate)) / (1 + ahead * yielded) - 100 * passed * rate;
}

function yieldAtMaturity(term: Term, issue = 0, rate = 0, price = 0): NumericResult {
  if (rate < 0 || price <= 0 || issue < 0 || issue > term.settlement) return NUM;
  const { whole, passed, ahead } = fromIssue(term, issue);
  const paid = price / 100 + passed * rate;
  return ((1 + whole * rate) / paid - 1) / ahead;
}

export const PAPERS = [
  paper(
    'DISC',
    2,
    ofPositive((term, price = 0, redemption = 0) => (1 - price / redemption) / years(term)),
  ),
  paper(
    'PRICEDISC',
    2,
    ofPositive((term, discount = 0, redemption = 0) => redemption * (1 - discount * years(term))),
  ),
  paper(
    'YIELDDISC',
    2,
    ofPositive((term, price = 0, redemption = 0) => (redemption / price - 1) / years(term)),
  ),
  paper(
    'INTRATE',
    2,
    ofPositive((term, invested = 0, redemption = 0) => (redemption / invested - 1) / years(term)),
  ),
  paper(
    'RECEIVED',
    2,
    ofPositive((term, invested = 0, discount = 0) => {
      const left = 1 - discount * years(term);
      return left > 0 ? invested / left : NUM;
    }),
  ),
  paper('PRICEMAT', 3, priceAtMaturity),
  paper('YIELDMAT', 3, yieldAtMaturity),
];
