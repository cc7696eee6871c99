import { findFunction } from '../../../formulas/functions/registry.ts';

/**
 * What the place of an expression makes of a range: one value of it, the range itself, or all of its values, one after
 * the other.
 */
export type Use = 'value' | 'range' | 'array';

/** Functions that work through arrays wherever they are, so that what is computed in their arguments is an array. */
const THROUGH_ARRAYS = new Set(
  `AGGREGATE CHISQ.TEST CHITEST CORREL COVAR COVARIANCE.P COVARIANCE.S F.TEST FORECAST FORECAST.LINEAR FREQUENCY FTEST GROWTH
  INTERCEPT LINEST LOGEST LOOKUP MDETERM MINVERSE MMULT MODE MODE.MULT MODE.SNGL PEARSON PERCENTILE PROB QUARTILE RSQ
  SLOPE STEYX SUMPRODUCT SUMX2MY2 SUMX2PY2 SUMXMY2 T.TEST TRANSPOSE TREND TTEST ZTEST`.split(/\s+/),
);

/** Of these the condition is one value; what they choose between is used as they are themselves. */
const CHOOSING = new Set(['IF', 'CHOOSE', 'IFS', 'SWITCH']);
const SINGLE_VALUES = new Set(['IFERROR', 'IFNA']);

/** What a function makes of a range in one of its arguments, where it is used itself in some way. */
export function parameterUse(name: string, at: number, use: Use): Use {
  const upper = name.toUpperCase();
  if (use === 'array' || THROUGH_ARRAYS.has(upper)) return 'array';
  if (CHOOSING.has(upper)) return at === 0 ? 'value' : use;
  const takesValue = SINGLE_VALUES.has(upper) || isSingle(upper, at);
  if (!takesValue) return 'range';
  return 'value';
}

/** Whether the parameter is one value; of a function that is not known, none is. */
function isSingle(name: string, at: number): boolean {
  const found = findFunction(name);
  if (!found) return false;
  const { parameters, repeats = 0 } = found;
  const beyond = at - parameters.length;
  const place = beyond < 0 || repeats === 0 ? at : parameters.length - repeats + (beyond % repeats);
  const kind = parameters[place];
  return kind !== undefined && kind !== 'grid' && kind !== 'any';
}
