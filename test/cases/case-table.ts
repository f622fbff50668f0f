import type { CaseFamily, CaseRow } from './case-row.ts';
import { conversations } from './rows/conversations.ts';
import { counts } from './rows/counts.ts';
import { loops } from './rows/loops.ts';
import { pairing } from './rows/pairing.ts';
import { summarisers } from './rows/summarisers.ts';
import { thinking } from './rows/thinking.ts';
import { timing } from './rows/timing.ts';

/** What goes wrong in systems of this kind, what holds here, and the tests that hold it. */
export const caseFamilies: readonly CaseFamily[] = [
  pairing,
  loops,
  summarisers,
  counts,
  thinking,
  timing,
  conversations,
];

/** All rows of the table. */
export const caseRows: readonly CaseRow[] = caseFamilies.flatMap(({ rows }) => rows);
