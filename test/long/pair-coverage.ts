import { type Factors, faultNames, providerNames, strategyNames } from './factors.ts';

/** Two factors, the first by rows and the second by columns, and how often each pair of values came. */
export interface CrossTable {
  readonly title: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  count(row: string, column: string): number;
}

type FactorName = keyof Factors;

const values: Readonly<Record<FactorName, readonly string[]>> = {
  provider: providerNames,
  strategy: strategyNames,
  fault: faultNames,
};

const pairs: readonly (readonly [FactorName, FactorName])[] = [
  ['provider', 'strategy'],
  ['fault', 'provider'],
  ['fault', 'strategy'],
];

/** How often each pair of values of two factors came. */
export function crossTables(drawn: readonly Factors[]): readonly CrossTable[] {
  return pairs.map(([row, column]) => {
    const counts = new Map<string, number>();
    for (const factors of drawn) {
      const key = keyOf(factors[row], factors[column]);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return {
      title: `${row} × ${column}`,
      rows: values[row],
      columns: values[column],
      count: (one, other) => counts.get(keyOf(one, other)) ?? 0,
    };
  });
}

/** The pairs that came less often than asked, as text. */
export function rarePairs(tables: readonly CrossTable[], { least }: { readonly least: number }): readonly string[] {
  return tables.flatMap(({ rows, columns, count }) =>
    rows.flatMap((row) =>
      columns
        .filter((column) => count(row, column) < least)
        .map((column) => `${row} × ${column}: ${count(row, column)}`),
    ),
  );
}

/** A cross table as lines of text, with sums. */
export function formatCross({ title, rows, columns, count }: CrossTable): string {
  const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);
  const numbers = rows.map((row) => columns.map((column) => count(row, column)));
  const cells = [
    [title, ...columns, 'sum'],
    ...rows.map((row, index) => [row, ...(numbers[index] ?? []).map(String), String(sum(numbers[index] ?? []))]),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? [];
  return cells
    .map((line) => line.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))))
    .map((line) => line.join('  '))
    .join('\n');
}

function keyOf(one: string, other: string): string {
  return `${one}/${other}`;
}
