import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { besselI, besselJ, besselK, besselY } from '../../../src/formulas/numerics/bessel.ts';
import { checkFormulas } from './evaluate.ts';

describe('functions of engineering', () => {
  checkFormulas(
    [
      ['BIN2DEC(1111111111)', -1],
      ['BIN2HEX("11111011",4)', '00FB'],
      ['BIN2OCT(1001,3)', '011'],
      ['BIN2DEC("102")', '#NUM!'],
      ['DEC2BIN(9,4)', '1001'],
      ['DEC2BIN(-100)', '1110011100'],
      ['DEC2BIN(512)', '#NUM!'],
      ['DEC2HEX(-54)', 'FFFFFFFFCA'],
      ['DEC2OCT(58,3)', '072'],
      ['HEX2BIN("B7")', '10110111'],
      ['HEX2DEC("FFFFFFFF5B")', -165],
      ['HEX2OCT("3B4E")', '35516'],
      ['OCT2BIN("7777777000")', '1000000000'],
      ['OCT2DEC(54)', 44],
      ['OCT2HEX("7777777533")', 'FFFFFFFF5B'],
      ['BITAND(13,25)', 9],
      ['BITOR(23,10)', 31],
      ['BITXOR(5,3)', 6],
      ['BITLSHIFT(4,2)', 16],
      ['BITRSHIFT(13,2)', 3],
      ['BITAND(-1,2)', '#NUM!'],
      ['BITXOR(2^47,1)', 2 ** 47 + 1],
      ['DELTA(5,4)', 0],
      ['DELTA(TRUE,1)', '#VALUE!'],
      ['GESTEP(TRUE,1)', '#VALUE!'],
      ['IMREAL(IMCOT("5+12j"))*1E11', -4.10750577681088],
      ['GESTEP(5,4)', 1],
      ['ERF(0.745)', 0.70792892],
      ['ERF(0,1)', 0.842700793],
      ['ERFC(1)', 0.157299207],
      ['COMPLEX(3,4)', '3+4i'],
      ['COMPLEX(0,1,"j")', 'j'],
      ['COMPLEX(1,2,"k")', '#VALUE!'],
      ['IMREAL("6-9i")', 6],
      ['IMAGINARY("0-j")', -1],
      ['IMABS("5+12i")', 13],
      ['IMARGUMENT("3+4i")', 0.927295218],
      ['IMCONJUGATE("3+4i")', '3-4i'],
      ['IMSUM("3+4i","5-3i")', '8+i'],
      ['IMSUB("13+4i","5+3i")', '8+i'],
      ['IMPRODUCT("3+4i","5-3i")', '27+11i'],
      ['IMDIV("-238+240i","10+24i")', '5+12i'],
      ['IMDIV("1","0")', '#NUM!'],
      ['IMSUM("i","j")', '#VALUE!'],
      ['IMSQRT("1+i")', '1.09868411346781+0.455089860562227i'],
      ['IMEXP("1+i")', '1.46869393991589+2.28735528717884i'],
      ['IMLN("3+4i")', '1.6094379124341+0.927295218001612i'],
      ['IMSIN("4+3i")', '-7.61923172032141-6.548120040911i'],
      ['IMREAL("x")', '#NUM!'],
      ['CONVERT(1,"lbm","kg")', 0.45359237],
      ['CONVERT(68,"F","C")', 20],
      ['CONVERT(2.5,"ft","sec")', '#N/A'],
      ['CONVERT(CONVERT(100,"ft","m"),"ft","m")', 9.290304],
      ['CONVERT(1,"Mibyte","kbyte")', 1048.576],
      ['CONVERT(1,"km2","m2")', 1_000_000],
      ['CONVERT(1,"gal","l")', 3.785411784],
      ['CONVERT(1,"day","hr")', 24],
      ['CONVERT(1,"Hp","W")', '#N/A'],
      ['BESSELI(1.5,1)', 0.981666428],
      ['BESSELJ(1.9,2)', 0.329925728],
      ['BESSELK(1.5,1)', 0.277387804],
      ['BESSELY(2.5,1)', 0.145918138],
      ['BESSELY(0,1)', '#NUM!'],
      ['BESSELJ(59,1000000)', 0],
      ['BESSELJ(0,0)', 1],
    ],
    [],
    6,
  );

  it('keep the Wronskians of the Bessel functions', () => {
    const order = fc.integer({ min: 0, max: 30 });
    const place = fc.double({ min: 0.5, max: 150, noNaN: true });
    fc.assert(
      fc.property(order, place, (n, x) => {
        const first = besselJ(n + 1, x) * besselY(n, x) - besselJ(n, x) * besselY(n + 1, x);
        const modified = besselI(n, x) * besselK(n + 1, x) + besselI(n + 1, x) * besselK(n, x);
        assert.ok(Math.abs((first * Math.PI * x) / 2 - 1) < 1e-9, `${first} at ${n}, ${x}`);
        assert.ok(Math.abs(modified * x - 1) < 1e-11, `${modified} at ${n}, ${x}`);
      }),
    );
  });
});
