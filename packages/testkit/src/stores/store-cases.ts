import { appendingCases } from './appending-cases.ts';
import { archivingCases } from './archiving-cases.ts';
import { keepingCases } from './keeping-cases.ts';
import { openingCases } from './opening-cases.ts';
import { readingCases } from './reading-cases.ts';
import { recordCases } from './record-cases.ts';
import { recordListCases } from './record-list-cases.ts';
import { removingCases } from './removing-cases.ts';
import { replacingCases } from './replacing-cases.ts';
import type { StoreCase } from './store-subject.ts';
import { tailCases } from './tail-cases.ts';

/** What every store has to fulfil. */
export const storeCases: readonly StoreCase[] = [
  ...keepingCases,
  ...appendingCases,
  ...readingCases,
  ...tailCases,
  ...openingCases,
  ...replacingCases,
  ...archivingCases,
  ...removingCases,
  ...recordCases,
  ...recordListCases,
];
