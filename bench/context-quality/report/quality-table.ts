import { figureOf, type GoalFigure, goalsFor } from '../measure/goals.ts';
import type { Measured } from '../measure/measure.ts';
import { plainTable } from './plain-table.ts';

const nothing = '–';

interface Column {
  readonly head: string;
  readonly text: (row: Measured, full: Measured | undefined) => string;
}

const chatColumns: readonly Column[] = [
  { head: 'evidence', text: (row, full) => withGoals(row, 'evidence', full) },
  { head: 'complete', text: ({ complete }) => percent(complete) },
  { head: 'answer', text: (row, full) => withGoals(row, 'answer', full) },
];
const agentColumns: readonly Column[] = [
  { head: 'identifiers', text: (row, full) => withGoals(row, 'identifiers', full) },
  { head: 'lines', text: (row, full) => withGoals(row, 'lines', full) },
  { head: 'found', text: ({ lookedUp }) => (lookedUp === null ? '' : percent(lookedUp)) },
];
const sharedColumns: readonly Column[] = [
  { head: "user's words", text: (row, full) => withGoals(row, 'instructions', full) },
  { head: 'tokens', text: ({ tokens }) => short(tokens) },
  { head: 'cost', text: ({ cost5m }) => short(cost5m) },
  { head: '× full', text: (row, full) => withGoals(row, 'costShare', full) },
  { head: 'hits', text: ({ hitRate }) => percent(hitRate) },
  { head: 'invalid', text: ({ invalid, requests }) => percent(invalid / Math.max(1, requests)) },
  { head: 'over', text: ({ overBudget }) => (overBudget === 0 ? '' : String(overBudget)) },
  { head: 'failed', text: ({ failed }) => (failed === 0 ? '' : String(failed)) },
  { head: 'ms', text: ({ milliseconds }) => milliseconds.toFixed(1) },
];

/** A table of one set with one budget: a row a strategy, costs beside what they buy. */
export function qualityTable(rows: readonly Measured[]): string {
  const full = rows.find(({ family }) => family === 'reference');
  const isChat = rows.some(({ questions }) => questions > 0);
  const columns = [...(isChat ? chatColumns : agentColumns), ...sharedColumns];
  const table = plainTable(['strategy', ...columns.map(({ head }) => head)]);
  for (const row of rows) table.push([row.strategy, ...columns.map(({ text }) => text(row, full))]);
  const [first] = rows;
  if (first === undefined) return '';
  const { set, budget } = first;
  const judged = isChat ? `${first.questions} questions` : `${first.steps} steps with far needs`;
  return `${set}, ${short(budget)} tokens: ${judged}, ${first.requests} requests a strategy\n${table.toString()}`;
}

/** A value, and where it has a goal what it must reach and what is hoped for. */
function withGoals(row: Measured, figure: GoalFigure, full: Measured | undefined): string {
  const value = figureOf(row, figure, full);
  const format = figure === 'costShare' ? ratio : percent;
  const own = goalsFor(row).find((goal) => goal.figure === figure);
  return own === undefined ? format(value) : `${format(value)} (${format(own.must)} / ${format(own.goal)})`;
}

/** A share as a percentage. */
export function percent(share: number | null): string {
  return share === null ? nothing : (100 * share).toFixed(1);
}

function ratio(value: number | null): string {
  return value === null ? nothing : value.toFixed(2);
}

/** Thousands as `k`. */
export function short(value: number): string {
  if (value < 1_000) return value.toFixed(0);
  return `${(value / 1_000).toFixed(value < 10_000 && value % 1_000 !== 0 ? 1 : 0)}k`;
}
