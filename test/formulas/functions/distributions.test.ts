import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  betaInverse,
  inverseOfTails,
  normalBelow,
  normalInverse,
  studentInverse,
  studentTails,
} from '../../../src/formulas/numerics/distributions.ts';
import { binomialTerm, incompleteBeta, incompleteGamma } from '../../../src/formulas/numerics/gamma.ts';
import { checkFormulas } from './evaluate.ts';

describe('distributions', () => {
  checkFormulas(
    [
      ['NORM.DIST(42,40,1.5,TRUE)', 0.908788780274132],
      ['NORM.DIST(42,40,1.5,FALSE)', 0.10934005],
      ['NORM.S.INV(0.908789)', 1.33333467304411],
      ['LOGNORM.DIST(4,3.5,1.2,TRUE)', 0.0390835557],
      ['LOGINV(0.039084,3.5,1.2)', 4.0000252],
      ['T.DIST(60,1,TRUE)', 0.99469533],
      ['T.DIST.2T(1.959999998,60)', 0.05464493],
      ['TDIST(1.959999998,60,2)', 0.05464493],
      ['T.INV(0.75,2)', 0.816496581],
      ['TINV(0.054644927,60)', 1.960000041],
      ['CHISQ.DIST(0.5,1,TRUE)', 0.52049988],
      ['CHISQ.DIST.RT(18.307,10)', 0.0500006],
      ['CHISQ.INV(0.93,1)', 3.283020286],
      ['CHIINV(0.050001,10)', 18.306973],
      ['F.DIST(15.20686486,6,4,TRUE)', 0.99],
      ['F.DIST(15.20686486,6,4,FALSE)', 0.0012237996],
      ['FDIST(15.20686486,6,4)', 0.01],
      ['FINV(0.01,6,4)', 15.20686486],
      ['BETA.DIST(2,8,10,TRUE,1,3)', 0.685470581],
      ['BETA.DIST(2,8,10,FALSE,1,3)', 1.483764648],
      ['BETAINV(0.685470581,8,10,1,3)', 2],
      ['GAMMA.DIST(10.00001131,9,2,FALSE)', 0.03263913],
      ['GAMMADIST(10.00001131,9,2,TRUE)', 0.068094],
      ['GAMMA.INV(0.068094,9,2)', 10.0000112],
      ['GAMMA(-3.75)', 0.267866128861417],
      ['GAMMA(0)', '#NUM!'],
      ['GAMMALN(4)', 1.791759469],
      ['GAUSS(2)', 0.47724986805],
      ['PHI(0.75)', 0.301137432],
      ['WEIBULL.DIST(105,20,100,TRUE)', 0.92958139],
      ['WEIBULL(105,20,100,FALSE)', 0.035588864],
      ['EXPON.DIST(0.2,10,TRUE)', 0.86466472],
      ['BINOM.DIST(6,10,0.5,FALSE)', 0.205078125],
      ['BINOM.DIST(6,10,0.5,TRUE)', 0.828125],
      ['BINOM.DIST(500000,1000000,0.5,FALSE)', 0.000797884361369556],
      ['BINOM.DIST.RANGE(60,0.75,45,50)', 0.523629793],
      ['BINOM.INV(6,0.5,0.75)', 4],
      ['NEGBINOM.DIST(10,5,0.25,TRUE)', 0.313514058],
      ['NEGBINOMDIST(10,5,0.25)', 0.05504866],
      ['POISSON.DIST(2,5,TRUE)', 0.124652019],
      ['POISSON(2,5,FALSE)', 0.084224337],
      ['HYPGEOM.DIST(1,4,8,20,TRUE)', 0.465428277],
      ['HYPGEOMDIST(1,4,8,20)', 0.363261094],
      ['HYPGEOMDIST(1,4,8,20,1)', 0.465428276573787],
      ['LOGNORMDIST(0.1,0,1,1)', 0.0106510993417001],
      ['NORM.DIST(1,0,-1,TRUE)', '#NUM!'],
      ['CHISQ.INV(2,1)', '#NUM!'],
    ],
    [],
    6,
  );

  const part = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true });
  const shape = fc.double({ min: 0.2, max: 500, noNaN: true });
  const near = (actual: number, wanted: number) =>
    assert.ok(Math.abs(actual - wanted) <= 1e-9 * wanted, `${actual} is not ${wanted}`);

  it('are undone by their inverses', () => {
    fc.assert(
      fc.property(part, shape, shape, (p, a, b) => {
        near(normalBelow(normalInverse(p)), p);
        near(
          incompleteGamma(
            a,
            inverseOfTails((x) => incompleteGamma(a, x), 'lower', p),
          ).lower,
          p,
        );
        near(incompleteBeta(a + 1, b + 1, betaInverse(p, a + 1, b + 1)).lower, p);
        near(studentTails(studentInverse(p / 2, Math.ceil(a)), Math.ceil(a)).upper, p / 2);
      }),
      { numRuns: 100 },
    );
  });

  it('of whole numbers add up to 1', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), part, (n, p) => {
        const terms = Array.from({ length: n + 1 }, (_, k) => binomialTerm(k, n, p, 1 - p));
        near(
          terms.reduce((sum, term) => sum + term, 0),
          1,
        );
      }),
      { numRuns: 100 },
    );
  });
});
