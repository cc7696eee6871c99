/** Arguments that may be left out: by an empty cell, by nothing between two commas, or in an array that has a gap. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FUNCTION_NAMES, findFunction } from '../../../src/formulas/functions/registry.ts';
import { checkFormulas } from './evaluate.ts';

/** A1 holds 5 and B1 a text; C1 is empty. */
const INPUTS = [[5, 'x', null, 0.1]];

describe('an empty cell leaves an argument out', () => {
  checkFormulas(
    [
      ['COMPLEX(3,4,C1)', '3+4i'],
      ['COMPLEX(3,4,)', '3+4i'],
      ['ACCRINT(39508,39691,39569,0.1,1000,2,0)', 16.666666666666664],
      ['ACCRINT(39508,39691,39569,0.1,,2,0)', 16.666666666666664],
      ['ACCRINT(39508,39691,39569,0.1,C1,2,0)', 16.666666666666664],
      ['COMPLEX(C1,4)', '4i'],
      ['COMPLEX(3,4,"")', '#VALUE!'],
      ['DEC2BIN(9,C1)', '1001'],
      ['DEC2HEX(255,C1)', 'FF'],
      ['DEC2OCT(58,C1)', '72'],
      ['BIN2HEX("1110",C1)', 'E'],
      ['BIN2OCT("1001",C1)', '11'],
      ['HEX2BIN("F",C1)', '1111'],
      ['HEX2OCT("F",C1)', '17'],
      ['OCT2BIN("3",C1)', '11'],
      ['OCT2HEX("10",C1)', '8'],
      ['DEC2BIN(9,0)', '#NUM!'],
      ['ERF(1,C1)', 0.842700792949715],
      ['ERF(1,0)', -0.842700792949715],
      ['WEEKNUM(45658,C1)', 1],
      ['WEEKNUM(45658,0)', '#NUM!'],
      ['ACCRINTM(39539,39614,0.1,C1,3)', 20.5479452054795],
      ['ACCRINT(39508,39691,39569,0.1,1000,2,0,C1)', 16.6666666666667],
      ['TEXTJOIN("-",TRUE,COMPLEX(1,2,C1:D1))', '#VALUE!'],
      ['INDEX(DEC2BIN(9,C1:C2),2)', '1001'],
      ['ADDRESS(2,3,C1)', '$C$2'],
      ['SEQUENCE(1,C1,7)', 7],
      ['XMATCH(5,A1:A1,C1,C1)', 1],
    ],
    INPUTS,
  );
});

describe('nothing between two commas leaves an argument out', () => {
  checkFormulas(
    [
      ['CEILING.MATH(-6.3,,1)', -7],
      ['CEILING.MATH(6.3,C1,1)', 0],
      ['FLOOR.MATH(6.7,)', 6],
      ['CEILING.PRECISE(6.3,)', 7],
      ['ISO.CEILING(6.3,)', 7],
      ['FLOOR.PRECISE(6.7,)', 6],
      ['NUMBERVALUE("1,234.5",,)', 1234.5],
    ],
    INPUTS,
  );
});

describe('to other functions an empty cell is 0, FALSE or an empty text', () => {
  checkFormulas(
    [
      ['LEFT("abc",C1)', ''],
      ['LEFT("abc",)', ''],
      ['RIGHT("abc",C1)', ''],
      ['MATCH(4,A1:A1,C1)', '#N/A'],
      ['MATCH(5,A1:A1,)', 1],
      ['VLOOKUP(6,A1:B1,2,C1)', '#N/A'],
      ['VLOOKUP(6,A1:B1,2)', 'x'],
      ['LOG(100,C1)', '#NUM!'],
      ['FIXED(1234.5,C1)', '1,235'],
      ['FIND("a","ba",C1)', '#VALUE!'],
      ['SUBSTITUTE("aa","a","b",C1)', '#VALUE!'],
      ['WEEKDAY(45658,C1)', '#NUM!'],
      ['INDIRECT("R1C1",C1)', 5],
      ['INDIRECT("R1C1",)', 5],
      ['PERCENTRANK(A1:A1,5,C1)', '#NUM!'],
      ['BINOM.DIST.RANGE(10,0.3,2,C1)', '#NUM!'],
    ],
    INPUTS,
  );
});

/** Their default is another value than that of an empty cell, which they take as it is, as Excel does. */
const AS_IT_IS =
  'BETA.DIST BETA.INV BETADIST BETAINV BINOM.DIST.RANGE DB DDB DOLLAR FIND FINDB FIXED HLOOKUP INDIRECT LEFT LEFTB LOG LOGNORMDIST MATCH PERCENTRANK PERCENTRANK.EXC PERCENTRANK.INC PROB RIGHT RIGHTB SEARCH SEARCHB SUBSTITUTE VDB VLOOKUP WEEKDAY YEN Z.TEST ZTEST';
/** Their default is 0 or FALSE, or the beginning of a search for a number, which an empty cell gives as well. */
const ALIKE =
  'AMORDEGRC AMORLINC ARRAYTOTEXT BASE COUPDAYBS COUPDAYS COUPDAYSNC COUPNCD COUPNUM COUPPCD DAYS360 DELTA DISC DURATION FV GESTEP HYPGEOMDIST INDEX INTRATE IPMT IRR LINEST LOGEST MDURATION NPER ODDFPRICE ODDFYIELD ODDLPRICE ODDLYIELD PMT PPMT PRICE PRICEDISC PRICEMAT PV RANDARRAY RANK RANK.AVG RANK.EQ RATE RECEIVED TRUNC VALUETOTEXT YEARFRAC YIELD YIELDDISC YIELDMAT';

test('of every function with arguments that may be left out it is decided what an empty cell is', () => {
  const decided = new Set(`${AS_IT_IS} ${ALIKE}`.split(' '));
  const open = FUNCTION_NAMES.filter((name) => {
    const { parameters = [], required = 0, leftOutBy } = findFunction(name) ?? {};
    const optional = parameters.slice(required);
    // What is handed over as a scalar or a grid sees the empty cell itself, and takes it for left out.
    const isConverted = optional.some((kind) => ['number', 'text', 'logical'].includes(kind));
    return isConverted && leftOutBy === undefined && !decided.has(name);
  });
  assert.deepEqual(open, []);
});
