import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkFormulas, evaluate } from './evaluate.ts';

describe('regular expressions', () => {
  checkFormulas([
    ['REGEXTEST("abc123","\\d+")', true],
    ['REGEXTEST("ABC","abc")', false],
    ['REGEXTEST("ABC","abc",1)', true],
    ['REGEXTEST("ABC","abc",2)', '#VALUE!'],
    ['REGEXTEST("abc","(")', '#VALUE!'],
    ['REGEXEXTRACT("Sonia (378) 555-4195","\\d{3}-\\d{4}")', '555-4195'],
    ['TEXTJOIN("|",FALSE,REGEXEXTRACT("DylanWilliams","[A-Z][a-z]+",1))', 'Dylan|Williams'],
    ['COLUMNS(REGEXEXTRACT("a1b2","\\d",1))', 2],
    ['TEXTJOIN("|",FALSE,REGEXEXTRACT("O my Luve red rose","my (\\w+) red (\\w+)(x)?",2))', 'Luve|rose|'],
    ['REGEXEXTRACT("abc","\\d")', '#N/A'],
    ['REGEXEXTRACT("abc","\\w",3)', '#VALUE!'],
    ['REGEXREPLACE("Sonia Rees","(\\w+) (\\w+)","$2, $1")', 'Rees, Sonia'],
    ['REGEXREPLACE("a1b2","\\d","[$0]$$")', 'a[1]$b[2]$'],
    ['REGEXREPLACE("aaa","a","b",2)', 'aba'],
    ['REGEXREPLACE("aaa","a","b",-1)', 'aab'],
    ['REGEXREPLACE("aaa","a","b",4)', 'aaa'],
    ['REGEXREPLACE("Aa","a","b",0,1)', 'bb'],
    ['LEN(REGEXREPLACE(REPT("ab ",10000),"\\s",""))', 20_000],
    ['REGEXREPLACE("abc","","-")', '-a-b-c-'],
    ['REGEXREPLACE("größe","\\p{L}","x")', 'xxxxx'],
    ['SUM(--REGEXTEST({"a1","b","c2"},"\\d"))', 2],
  ]);

  it('cost what texts and patterns are long, whatever is in them', () => {
    const values = evaluate([
      'REGEXTEST(REPT("a",30000)&"!","^(a+)+$")',
      'REGEXTEST(REPT("x",30000),"(x+x+)+y")',
      'REGEXTEST(REPT("ab",15000)&"1","[a-z]{1,1000}$")',
      'REGEXTEST("a",REPT("[a-z]{1000}",900))',
      'LEN(REGEXREPLACE(REPT("x",30000),"x",REPT("y",30000)))',
    ]);
    assert.deepEqual(values, [false, false, '#NUM!', '#VALUE!', '#VALUE!']);
  });
});
