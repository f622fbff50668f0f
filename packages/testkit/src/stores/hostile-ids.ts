const shortIds = [
  'a',
  'ab',
  'A',
  'a/b',
  '..',
  '.',
  '',
  'a\u0000',
  'con',
  '../a',
  'a b',
  '~',
  '%61',
  'ı',
  'é',
  'e\u0301',
];
const long = 'x'.repeat(5_000);

/** Ids that one file name, one prefix or one way of writing could take for another. */
export const hostileIds: readonly string[] = [
  ...shortIds,
  '\ud800',
  '\ud801',
  '\ufffd',
  long,
  `${long}y`,
  `${long}\ud800`,
  `${long}\ud801`,
];
