/** HTML's names of the characters that are likely in a password: all of ASCII that is no letter or digit, and Latin-1. */
export const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...names(0x21, 'excl quot num dollar percnt amp apos lpar rpar ast plus comma hyphen period sol'),
  ...names(0x3a, 'colon semi lt equals gt quest commat'),
  ...names(0x5b, 'lsqb bsol rsqb Hat lowbar grave'),
  ...names(0x7b, 'lcub verbar rcub'),
  ...names(0x5b, 'lbrack'),
  ...names(0x5d, 'rbrack'),
  ...names(0x7b, 'lbrace vert rbrace'),
  ...names(
    0xa0,
    'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para ' +
      'middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute ' +
      'Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ' +
      'Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml ' +
      'eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml',
  ),
  ['euro', '€'],
])

/** One character after the other. */
function names(first: number, list: string): [string, string][] {
  return list.split(' ').map((name, index) => [name, String.fromCharCode(first + index)])
}
