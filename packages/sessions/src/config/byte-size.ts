const unitBytes: Readonly<Record<string, number>> = { '': 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40 };

/** Reads `512mb`, `10 GB`, `1048576`; `null` for anything else. A kilobyte is 1,024 bytes. */
export function parseByteSize(given: string | number): number | null {
  const [, amount = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?b)?\s*$/i.exec(String(given)) ?? [];
  const bytes = Math.round(Number(amount) * (unitBytes[unit.toLowerCase()] ?? Number.NaN));
  return amount !== '' && Number.isSafeInteger(bytes) ? bytes : null;
}
