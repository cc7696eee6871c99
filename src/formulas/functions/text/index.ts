import type { FormulaFunction } from '../function.ts';
import { BAHTTEXT } from './baht.ts';
import { FINDB, LEFTB, LENB, MIDB, REPLACEB, RIGHTB, SEARCHB } from './bytes.ts';
import { CHAR, CODE, UNICHAR, UNICODE } from './codes.ts';
import { EXACT, FIND, SEARCH, SUBSTITUTE } from './finding.ts';
import { CONCAT, CONCATENATE, TEXTJOIN } from './joining.ts';
import { CLEAN, LOWER, PROPER, T, TRIM, UPPER } from './letters.ts';
import { DOLLAR, FIXED, NUMBERVALUE, TEXT, VALUE, YEN } from './numbers.ts';
import { LEFT, LEN, MID, REPLACE, REPT, RIGHT } from './parts.ts';
import { REGEXEXTRACT, REGEXREPLACE, REGEXTEST } from './regular-expressions.ts';
import { ARRAYTOTEXT, PHONETIC, VALUETOTEXT } from './showing.ts';
import { TEXTAFTER, TEXTBEFORE, TEXTSPLIT } from './splitting.ts';
import { ASC, DBCS, JIS } from './widths.ts';

/** What takes texts apart, makes and changes them. */
export const TEXT_FUNCTIONS: readonly FormulaFunction[] = [
  ARRAYTOTEXT,
  ASC,
  BAHTTEXT,
  CHAR,
  CLEAN,
  CODE,
  CONCAT,
  CONCATENATE,
  DBCS,
  DOLLAR,
  EXACT,
  FIND,
  FINDB,
  FIXED,
  JIS,
  LEFT,
  LEFTB,
  LEN,
  LENB,
  LOWER,
  MID,
  MIDB,
  NUMBERVALUE,
  PHONETIC,
  PROPER,
  REGEXEXTRACT,
  REGEXREPLACE,
  REGEXTEST,
  REPLACE,
  REPLACEB,
  REPT,
  RIGHT,
  RIGHTB,
  SEARCH,
  SEARCHB,
  SUBSTITUTE,
  T,
  TEXT,
  TEXTAFTER,
  TEXTBEFORE,
  TEXTJOIN,
  TEXTSPLIT,
  TRIM,
  UNICHAR,
  UNICODE,
  UPPER,
  VALUE,
  VALUETOTEXT,
  YEN,
];
