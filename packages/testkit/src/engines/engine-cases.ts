import { contractCases } from './contract-cases.ts';
import type { EngineCase } from './engine-subject.ts';
import { stabilityCases } from './stability-cases.ts';

/** What every context engine has to fulfil. */
export const engineCases: readonly EngineCase[] = [...contractCases, ...stabilityCases];
